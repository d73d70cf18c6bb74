/** Steps about missing answers and answers that are not final. */
import { keptUnless, leftOut, type Step } from "../../step.ts";
import { EARLY, MESSAGES_AFTER_REFUSAL, SHORT_RETRY_AFTER, SILENT_WITHIN } from "../../times.ts";
import { textOf } from "../../terminal/heard.ts";
import { askingProblems, repetitionProblems, shownProblems } from "../judge.ts";
import { NO_SALE, type PosScene } from "../scene.ts";
import { referencesOf, transactions } from "../heard.ts";
import { APPROVED, approvedAfter, DECLINED, declinedAfter, type Reply, type Script } from "../script.ts";

const TWICE = "The customer pays twice: the first message may have been processed although its answer was lost.";
const AGAIN =
  "Store the referenceId before you send. Until you have a signed 00 or 11, send the same transaction again with a new datetime and signature, after 24 hours an inquiry that names it.";

function repeats(name: string, title: string, reply: Reply, when: string): Step<PosScene> {
  return {
    name,
    title,
    duty: `${when}, send the same transaction again with the same referenceId, never with a new one. Asking again is sending again.`,
    harm: TWICE,
    fix: AGAIN,
    async run(scene) {
      const { messages, shown } = await scene.sale(approvedAfter(reply));
      if (messages.length === 0) return NO_SALE;
      const problems = [...repetitionProblems(messages), ...shownProblems(shown, "approved")];
      return keptUnless(problems, "the same message again with the same referenceId, then “approved”");
    },
  };
}

const timeOut: Step<PosScene> = {
  name: "time-out",
  title: "Retries a message that gets no answer",
  duty: "When no answer arrives (it is due within 90 seconds), send the same transaction again with the same referenceId, never with a new one.",
  harm: TWICE,
  fix: AGAIN,
  async run(scene) {
    if (!scene.options.patient) return leftOut("it takes minutes (use --patient)");
    const { messages, shown } = await scene.sale(approvedAfter({ kind: "silence" }), undefined, SILENT_WITHIN);
    if (messages.length === 0) return NO_SALE;
    const problems = [...repetitionProblems(messages), ...shownProblems(shown, "approved")];
    return keptUnless(problems, "the same message again with the same referenceId, then “approved”");
  },
};

const PENDING: Reply = { kind: "pending", responseCode: "TERMINAL_TIMEOUT" };

const pendingApproved: Step<PosScene> = {
  name: "pending",
  title: "Asks again after a 22 until the outcome is final, and starts no other transaction",
  duty: "22 means that the outcome is not known yet. Send the same transaction again, or an inquiry about it, until it is 00 or 11. Use no new referenceId before.",
  harm: "The customer pays twice, because the first payment is approved after all.",
  fix: "Treat 22 as an open question: keep the sale open, ask again after a while, and do not let the cashier start another transaction for it.",
  async run(scene) {
    const { messages, shown } = await scene.sale(approvedAfter(PENDING, { ...PENDING }));
    if (messages.length === 0) return NO_SALE;
    const problems = [...askingProblems(messages, 3), ...shownProblems(shown, "approved")];
    return keptUnless(problems, "questions about the same transaction until 00, then “approved”");
  },
};

const pendingDeclined: Step<PosScene> = {
  name: "pending-declined",
  title: "Shows the final outcome after a 22",
  duty: "A 22 becomes 00 or 11 once. The POS shows that outcome and does not guess.",
  harm: "The cashier hands over goods that nobody paid for.",
  fix: "Show an outcome only when it is final.",
  async run(scene) {
    const { messages, shown } = await scene.sale(declinedAfter(PENDING));
    if (messages.length === 0) return NO_SALE;
    const problems = [...askingProblems(messages, 2), ...shownProblems(shown, "not-approved")];
    return keptUnless(problems, "questions about the same transaction until 11, then “not approved”");
  },
};

const usedBefore: Step<PosScene> = {
  name: "used-before",
  title: "Does not take a 40009 for an unpaid sale",
  duty: "A sale that is sent again more than 24 hours later gets 400 with code 40009. Send an inquiry that names its referenceId. Use no new referenceId before the outcome is known.",
  harm: "A sale of Friday is charged again on Monday, although the customer has paid.",
  fix: "On code 40009, send an inquiry with transData.referenceId and show its outcome. If the till does not, keep the sale open for the cashier.",
  async run(scene) {
    const used: Script = { ...approvedAfter(PENDING, { kind: "used" }), repeatsLast: true };
    const { messages, shown } = await scene.sale(used);
    if (messages.length === 0) return NO_SALE;
    const problems = [...askingProblems(messages, 2), ...shownProblems(shown, "approved", "unknown", "failed-unknown")];
    return keptUnless(problems, "no other transaction, and “approved” or an unknown outcome");
  },
};

const newAttempt: Step<PosScene> = {
  name: "new-attempt",
  title: "Uses a new referenceId for a new attempt after an 11",
  duty: "11 is final: no money moved and none will. A new attempt is a new transaction with a new referenceId; the old referenceId returns the old answer.",
  harm: "After one declined card the customer cannot pay with another.",
  fix: "Create a new referenceId for each attempt.",
  async run(scene) {
    const amount = scene.newAmount();
    const first = await scene.sale({ replies: [], completed: DECLINED }, amount);
    const second = await scene.sale({ replies: [], completed: APPROVED }, amount);
    const [declined, approved] = [first, second].map(({ messages }) => referencesOf(transactions(messages)));
    if (declined?.length === 0) return NO_SALE;
    const both = approved?.filter((reference) => declined?.includes(reference)) ?? [];
    const problems = [
      ...shownProblems(first.shown, "not-approved"),
      ...(approved?.length === 0 ? ["the second attempt sent no message"] : []),
      ...(both.length > 0 ? [`${both.join(", ")} used again`] : []),
      ...(both.length === 0 ? shownProblems(second.shown, "approved") : []),
    ];
    return keptUnless(problems, "“not approved”, then a new referenceId for the second attempt");
  },
};

const rateLimited: Step<PosScene> = {
  name: "rate-limited",
  title: "Waits for Retry-After after a 429",
  duty: "429 means that the message was not accepted. Send the same message again, not before the seconds in Retry-After have passed.",
  harm: "A till that retries too fast locks out itself and the other tills.",
  fix: "Read Retry-After and wait that long before you send the same message again.",
  async run(scene) {
    const { messages, shown } = await scene.sale(
      approvedAfter({ kind: "status", status: 429, retryAfterSeconds: SHORT_RETRY_AFTER }),
    );
    if (messages.length === 0) return NO_SALE;
    const [first, second] = transactions(messages);
    const gap = first === undefined || second === undefined ? null : second.at - first.at;
    const problems = [
      ...repetitionProblems(messages),
      ...(gap !== null && gap < SHORT_RETRY_AFTER * 1_000 - EARLY ? [`it came after ${Math.round(gap)} ms`] : []),
      ...shownProblems(shown, "approved"),
    ];
    return keptUnless(problems, `the same message after ${SHORT_RETRY_AFTER} s`);
  },
};

function givesUp(
  name: string,
  title: string,
  status: number,
  what: { duty: string; harm: string; fix: string },
): Step<PosScene> {
  return {
    name,
    title,
    ...what,
    async run(scene) {
      const { messages, shown } = await scene.sale({
        replies: [{ kind: "status", status }],
        completed: DECLINED,
        repeatsLast: true,
      });
      if (messages.length === 0) return NO_SALE;
      const problems = [
        ...(messages.length > MESSAGES_AFTER_REFUSAL ? [`${messages.length} messages`] : []),
        ...shownProblems(shown, "not-approved", "failed", "failed-unknown", "unknown"),
      ];
      return keptUnless(problems, `at most ${MESSAGES_AFTER_REFUSAL} messages, and an error for the cashier`);
    },
  };
}

const crash: Step<PosScene> = {
  name: "crash",
  title: "Asks about an open sale after a crash",
  duty: "The POS stores the referenceId before it sends the message. After a crash it asks about that sale, or sends it again, before anything else.",
  harm: TWICE,
  fix: AGAIN,
  async run(scene) {
    const driven = await scene.crash();
    if (driven === null) return leftOut("nobody can switch off the till (use --drive or --interactive)");
    const { messages, shown } = driven;
    const [first, second] = messages;
    if (first === undefined) return NO_SALE;
    if (shown === "unsupported") return leftOut("the till does not support the action “recover”");
    const reference = textOf(first.body, "referenceId");
    const problems = [
      ...(second === undefined ? ["it did not ask"] : askingProblems(messages, 2)),
      ...(shown === null ? [] : shownProblems(shown, "approved")),
    ];
    return keptUnless(problems, `a question about ${reference} before anything else, then its outcome`);
  },
};

export const RECOVERY: readonly Step<PosScene>[] = [
  repeats("dropped", "Retries a message after a broken connection", { kind: "drop" }, "When the connection breaks"),
  repeats("server-error", "Retries a message after a 500", { kind: "status", status: 500 }, "After a 5xx"),
  repeats(
    "gateway-error",
    "Retries a message after a 502",
    { kind: "status", status: 502 },
    "After an error from a proxy",
  ),
  timeOut,
  pendingApproved,
  pendingDeclined,
  usedBefore,
  newAttempt,
  rateLimited,
  givesUp("forbidden", "Stops at a 403", 403, {
    duty: "403 means that the account is suspended or deleted. This message moved no money, and a retry does not help.",
    harm: "The cashier waits in vain while the till retries.",
    fix: "Show the error, and tell the cashier to contact the operator.",
  }),
  givesUp("invalid", "Stops at a 400", 400, {
    duty: "400 means that this message was not accepted. It lists every field to fix; the same message fails again.",
    harm: "The cashier waits in vain while the till retries.",
    fix: "Show the message and details of the error, and fix the fields they name.",
  }),
  crash,
];
