/** What a POS does when an answer does not come, or is not the last word. */
import { keptUnless, leftOut } from "../../step.ts";
import type { Step } from "../../step.ts";
import { EARLY, MESSAGES_AFTER_REFUSAL, SHORT_RETRY_AFTER, SILENT_WITHIN } from "../../times.ts";
import { textOf } from "../../terminal/heard.ts";
import { askingProblems, repetitionProblems, shownProblems } from "../judge.ts";
import { NO_SALE, referencesOf, transactions } from "../scene.ts";
import type { PosScene } from "../scene.ts";
import { APPROVED, DECLINED, approvedAfter, declinedAfter } from "../script.ts";
import type { Reply } from "../script.ts";

const TWICE = "The customer pays twice: the first message may have been carried out, although its answer was lost.";
const AGAIN =
  "Keep the referenceId before you send; as long as there is no signed 00 or 11, send the very same transaction again, with a new datetime and signature.";

function repeats(name: string, title: string, reply: Reply, when: string): Step<PosScene> {
  return {
    name,
    title,
    duty: `${when}, the very same transaction is sent again: the same referenceId, never a new one. Asking again is sending again.`,
    harm: TWICE,
    mend: AGAIN,
    async run(scene) {
      const { messages, shown } = await scene.sale(approvedAfter(reply));
      if (messages.length === 0) return NO_SALE;
      const problems = [...repetitionProblems(messages), ...shownProblems(shown, "approved")];
      return keptUnless(problems, "the same message again, with the same referenceId, and then “approved”");
    },
  };
}

const timeOut: Step<PosScene> = {
  name: "time-out",
  title: "Repeats a message that is not answered",
  duty: "When no answer comes at all (a transfer's is due after 90 seconds), the very same transaction is sent again: the same referenceId, never a new one.",
  harm: TWICE,
  mend: AGAIN,
  async run(scene) {
    if (!scene.options.patient) return leftOut("it takes minutes (--patient)");
    const { messages, shown } = await scene.sale(approvedAfter({ kind: "silence" }), undefined, SILENT_WITHIN);
    if (messages.length === 0) return NO_SALE;
    const problems = [...repetitionProblems(messages), ...shownProblems(shown, "approved")];
    return keptUnless(problems, "the same message again, with the same referenceId, and then “approved”");
  },
};

const PENDING: Reply = { kind: "pending", responseCode: "TERMINAL_TIMEOUT" };

const pendingApproved: Step<PosScene> = {
  name: "pending",
  title: "Asks on after a 22 until it is settled, and takes nothing new",
  duty: "22 means: not known yet. Send the same transaction again, or an inquiry about it, until it is 00 or 11; never a new referenceId before.",
  harm: "The customer pays twice: the first payment was approved after all.",
  mend: "Treat 22 as an open question: keep the sale open, ask again after a while, and let the cashier not begin another one for it.",
  async run(scene) {
    const { messages, shown } = await scene.sale(approvedAfter(PENDING, { ...PENDING }));
    if (messages.length === 0) return NO_SALE;
    const problems = [...askingProblems(messages, 3), ...shownProblems(shown, "approved")];
    return keptUnless(problems, "questions about the same transaction until 00, then “approved”");
  },
};

const pendingDeclined: Step<PosScene> = {
  name: "pending-declined",
  title: "Shows what a 22 turned into",
  duty: "A 22 turns into 00 or 11, once; the POS shows that, and not what it guessed.",
  harm: "The cashier hands over goods that nobody has paid.",
  mend: "Show an outcome only when there is one.",
  async run(scene) {
    const { messages, shown } = await scene.sale(declinedAfter(PENDING));
    if (messages.length === 0) return NO_SALE;
    const problems = [...askingProblems(messages, 2), ...shownProblems(shown, "not-approved")];
    return keptUnless(problems, "questions about the same transaction until 11, then “not approved”");
  },
};

const newAttempt: Step<PosScene> = {
  name: "new-attempt",
  title: "Takes a new referenceId for a new attempt after an 11",
  duty: "11 is final: no money moved and none will. A new attempt is a new transaction, under a new referenceId; the old one would only bring the old answer.",
  harm: "After one declined card the customer cannot pay with another one.",
  mend: "Draw a referenceId for each attempt.",
  async run(scene) {
    const amount = scene.newAmount();
    const first = await scene.sale({ replies: [], settled: DECLINED }, amount);
    const second = await scene.sale({ replies: [], settled: APPROVED }, amount);
    const [declined, approved] = [first, second].map(({ messages }) => referencesOf(transactions(messages)));
    if (declined?.length === 0) return NO_SALE;
    const both = approved?.filter((reference) => declined?.includes(reference)) ?? [];
    const problems = [
      ...shownProblems(first.shown, "not-approved"),
      ...(approved?.length === 0 ? ["the second attempt brought no message"] : []),
      ...(both.length > 0 ? [`${both.join(", ")} again`] : []),
      ...(both.length === 0 ? shownProblems(second.shown, "approved") : []),
    ];
    return keptUnless(problems, "“not approved”, and a new referenceId for the second attempt");
  },
};

const rateLimited: Step<PosScene> = {
  name: "rate-limited",
  title: "Waits as long as Retry-After says after a 429",
  duty: "429 means that the message was not taken: the same one again, after the seconds of Retry-After, not before.",
  harm: "A till that hammers keeps itself, and its neighbours, out.",
  mend: "Read Retry-After, and wait that long before you send the same message again.",
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
  what: { duty: string; harm: string; mend: string },
): Step<PosScene> {
  return {
    name,
    title,
    ...what,
    async run(scene) {
      const { messages, shown } = await scene.sale({
        replies: [{ kind: "status", status }],
        settled: DECLINED,
        forEver: true,
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
  title: "Asks, after a crash, what became of the sale that was open",
  duty: "The referenceId is stored before the message is sent: after a crash the POS asks about it, or sends the same again, before anything else.",
  harm: TWICE,
  mend: AGAIN,
  async run(scene) {
    const { counterpart, tester } = scene.options;
    if (!tester.present) return leftOut("nobody is there to take the till's power away (--interactive)");
    const amount = scene.newAmount();
    counterpart.ledger.follow(approvedAfter({ kind: "silence" }));
    counterpart.drive += 1;
    const from = counterpart.messages.items.length;
    tester.tell(`At the till: make a sale of ${amount}, and take the till's power away at once. Then start it again.`);
    await counterpart.messages.next(() => true, { from, within: SILENT_WITHIN });
    await tester.confirm("Is it up again, and did you do what it asked you to do?");
    const messages = counterpart.messages.items.slice(from);
    const [first, second] = messages;
    if (first === undefined) return NO_SALE;
    const reference = textOf(first.body, "referenceId");
    const problems = second === undefined ? ["it never asked"] : askingProblems(messages, 2);
    return keptUnless(problems, `a question about ${reference} before anything else`);
  },
};

export const RECOVERY: readonly Step<PosScene>[] = [
  repeats("dropped", "Repeats a message whose connection broke", { kind: "drop" }, "When the connection breaks"),
  repeats("server-error", "Repeats a message after a 500", { kind: "status", status: 500 }, "After a 5xx"),
  repeats(
    "gateway-error",
    "Repeats a message after a 502",
    { kind: "status", status: 502 },
    "After an error of a proxy",
  ),
  timeOut,
  pendingApproved,
  pendingDeclined,
  newAttempt,
  rateLimited,
  givesUp("forbidden", "Stops at a 403", 403, {
    duty: "403 means that the account is suspended or deleted: repeating does not help, and no money was moved by this message.",
    harm: "The cashier waits before a clock that stands still, while the till hammers.",
    mend: "Show the error, and that the operator has to be asked.",
  }),
  givesUp("invalid", "Stops at a 400", 400, {
    duty: "400 means that this message was not taken, and names every field to mend: the same one again is as wrong.",
    harm: "The cashier waits before a clock that stands still, while the till hammers.",
    mend: "Show message and details of the error; mend the message.",
  }),
  crash,
];
