/** What the POS does when an answer is lost, comes late, or refuses its message. */
import { INVALID_MESSAGES } from "../../../../protocol/errors.ts";
import { usedLongAgo } from "../../../../protocol/refusals.ts";
import { keptUnless, leftOutVerdict, type KitStep, type StepVerdict, type StepWords } from "../../step.ts";
import { EARLY, MESSAGES_AFTER_REFUSAL, SHORT_RETRY_AFTER, SILENT_WITHIN } from "../../times.ts";
import { dataOf, textOf } from "../../message.ts";
import { alterAnswer, DECLINES, foreign, loseAnswer, passThrough, refuseWith, type PosFault } from "../faults.ts";
import {
  askingProblem,
  isAbout,
  listReferences,
  repetitionProblem,
  answerProblem,
  groupByTransaction,
  type RecordedMessage,
} from "../judge.ts";
import { atAnyTime, onSale, type OnSale, type PosScene, withoutSale } from "../scene.ts";

const TWICE = "The customer pays twice: the first message may have been processed although its answer was lost.";
const AGAIN =
  "Store the referenceId before you send. Until you have a signed 00 or 11, send the same transaction again with a new datetime and signature, after 24 hours an inquiry that names it.";

function repeats(name: string, title: string, fault: PosFault, when: string): KitStep<PosScene> {
  return onSale({
    name,
    title,
    duty: `${when}, send the same transaction again with the same referenceId, never with a new one. Asking again is sending again.`,
    harm: TWICE,
    fix: AGAIN,
    ...REPEATED,
    script: { faults: [fault] },
  });
}

const REPEATED: Pick<OnSale, "expected" | "problems"> = {
  expected: "the same message again with the same referenceId, then “approved”",
  problems: ({ messages, shown }) => [repetitionProblem(messages), answerProblem(shown, "approved")],
};

/** The gateway's answer becomes a 22, as if the terminal had not answered it. */
const STILL_PENDING: PosFault = alterAnswer((answer) => {
  const [data, names] = [dataOf(answer), ["transId", "transAmt", "currency"]];
  const transData = Object.fromEntries(names.map((name) => [name, textOf(data, name)]));
  return { ...answer, statusCode: "22", responseCode: "TERMINAL_TIMEOUT", responseText: "Ask again.", transData };
});

/** An answer that the gateway did not write is a lost answer, whatever its status. */
function answeredBySomebodyElse(name: string, title: string, fault: PosFault) {
  return onSale({
    name,
    title,
    duty: "Only a 4xx with the gateway's own code (a number that begins with the status) and traceId refuses a message, and only a signed 200 is an answer. Everything else is a lost answer: send the same transaction again with the same referenceId.",
    harm: "A proxy gives up while the customer pays, the POS shows “no money moved”, and the cashier charges again.",
    fix: "Before you believe a 4xx, check that its code begins with the status and that it has a traceId. Follow no redirect. Keep the record of the sale until you have a signed 00 or 11.",
    ...REPEATED,
    script: { faults: [fault] },
  });
}

const SUSPENDED = refuseWith(403, { message: "The account is suspended." });
const INVALID = refuseWith(400, {
  message: "The request is invalid. Fix every field listed in details.",
  details: [{ path: "transData.note", message: "Send a shorter text." }],
});

function givesUp(
  name: string,
  title: string,
  refusal: PosFault,
  words: Pick<OnSale, "duty" | "fix">,
): KitStep<PosScene> {
  return onSale({
    name,
    title,
    ...words,
    harm: "The cashier waits in vain while the POS retries.",
    script: { faults: [refusal], repeatsLast: true },
    expected: `at most ${MESSAGES_AFTER_REFUSAL} messages, and an error for the cashier`,
    problems: ({ messages, shown }) => [
      messages.length > MESSAGES_AFTER_REFUSAL && `${messages.length} messages`,
      answerProblem(shown, "not-approved", "failed", "failed-unknown", "unknown"),
    ],
  });
}

/** A POS that takes the refusal of its second message for that of the sale, and forgets the sale, charges twice. */
function keepsRecord(name: string, title: string, refusal: PosFault): KitStep<PosScene> {
  return {
    name,
    title,
    duty: "A 400 or 403 is about this message only: an earlier one with the same referenceId may have been processed. Keep the record of the sale, and send an inquiry when the account is active again, or the message is right.",
    harm: "The POS says “no money moved” about a sale that the customer has paid, and the cashier charges again.",
    fix: "Forget a sale after a 400 or 403 only if it answers the first message about it.",
    async run(scene) {
      const sold = await scene.sale({ faults: [loseAnswer(), refusal], repeatsLast: true });
      const blocked = withoutSale(scene, sold.messages);
      if (blocked !== null) return blocked;
      const right = answerProblem(sold.shown, "unknown", "failed-unknown");
      await scene.tidy();
      const expected = "an unknown outcome, and after a restart a question about the sale, then “approved”";
      return right === false
        ? recovered(scene, textOf(sold.messages[0]?.body, "referenceId"), expected)
        : keptUnless([right], expected);
    },
  };
}

/** Starts the POS again, if that is possible. */
async function recovered(scene: PosScene, referenceId: string, expected: string): Promise<StepVerdict> {
  const driven = await scene.recover();
  if (driven === null || driven.shown === "unsupported") return { kind: "kept" };
  const { messages, shown } = driven;
  return keptUnless(
    [!messages.some(isAbout(referenceId)) && "it did not ask", answerProblem(shown, "approved")],
    expected,
  );
}

/** This may be any day: the text names it. */
const LONG_AGO = Date.UTC(2026, 0, 2);

/** As if the gateway's 24 hours for sending again were over. A question gets the outcome. */
export const USED_BEFORE: PosFault = {
  ...refuseWith(400, {
    code: 40009,
    message: INVALID_MESSAGES[40009],
    details: [usedLongAgo(LONG_AGO, false)],
  }),
  toQuestions: passThrough(),
};

function afterCrash(beside: boolean, words: StepWords): KitStep<PosScene> {
  return atAnyTime({
    ...words,
    async judge({ scene }) {
      const driven = await scene.crash({ beside });
      if (driven === null) {
        return leftOutVerdict(`nobody can switch off the POS (use --drive${beside ? "" : " or --interactive"})`);
      }
      const { messages, shown } = driven;
      const blocked = withoutSale(scene, messages);
      if (blocked !== null) return blocked;
      if (shown === "unsupported") return leftOutVerdict("the POS does not support the action “recover”");
      const reference = textOf(messages[0]?.body, "referenceId");
      const problems = [
        questionProblem(messages, reference, beside),
        shown !== null && answerProblem(shown, "approved"),
      ];
      return keptUnless(
        problems,
        `a question about ${reference}${beside ? "" : " before anything else"}, then its outcome`,
      );
    },
  });
}

/** @param beside whether another process may have made a sale meanwhile */
function questionProblem(
  [, ...others]: readonly RecordedMessage[],
  reference: string,
  beside: boolean,
): string | false {
  if (!others.some(isAbout(reference))) return "it did not ask";
  const [other] = listReferences(others).filter((one) => one !== reference);
  return !beside && other !== undefined && `a new transaction under ${other} while ${reference} was not completed`;
}

export const RECOVERY: readonly KitStep<PosScene>[] = [
  repeats("dropped", "Retries a message after a broken connection", loseAnswer(), "When the connection breaks"),
  repeats(
    "server-error",
    "Retries a message after a 500",
    refuseWith(500, { message: "The service failed." }),
    "After a 5xx",
  ),
  repeats(
    "gateway-error",
    "Retries a message after a 502",
    foreign(502, "text/html", "<html><title>502 Bad Gateway</title></html>"),
    "After an error from a proxy",
  ),
  answeredBySomebodyElse(
    "proxy-timeout",
    "Retries a message after a proxy's 408",
    foreign(408, "text/plain", "stream timeout"),
  ),
  answeredBySomebodyElse(
    "firewall",
    "Retries a message after a firewall's 403",
    foreign(403, "text/html", "<html><title>403 Forbidden</title></html>"),
  ),
  answeredBySomebodyElse(
    "foreign-error",
    "Retries a message after another program's 404 in JSON",
    foreign(
      404,
      "application/json",
      '{"code":404,"message":"no Route matched with those values","traceId":"4bf92f35"}',
    ),
  ),
  answeredBySomebodyElse(
    "redirect",
    "Retries a message after a redirect, which it does not follow",
    foreign(307, "text/html", "", { Location: "/login-page" }),
  ),
  answeredBySomebodyElse(
    "login-page",
    "Retries a message after a network's login page",
    foreign(200, "text/html", "<html><title>Welcome to our guest network</title></html>"),
  ),
  onSale({
    name: "time-out",
    title: "Retries a message that gets no answer",
    duty: "When no answer arrives (it is due within the gateway's REQUEST_SECONDS, usually 90 seconds, plus 30 seconds for the way), send the same transaction again with the same referenceId, never with a new one.",
    harm: TWICE,
    fix: AGAIN,
    ...REPEATED,
    script: { faults: [loseAnswer("silence")] },
    minutes: SILENT_WITHIN,
  }),
  onSale({
    name: "pending",
    title: "Asks again after a 22 until the outcome is final, and starts no other transaction",
    duty: "22 means that the outcome is not known yet. Send the same transaction again, or an inquiry about it, until it is 00 or 11. Use no new referenceId before.",
    harm: "The customer pays twice, because the first payment is approved after all.",
    fix: "Treat 22 as an open question: keep the sale open, ask again after a while, and do not let the cashier start another transaction for it.",
    script: { faults: [passThrough(), STILL_PENDING], customer: { kind: "pending", outcome: "00" } },
    expected: "questions about the same transaction until 00, then “approved”",
    problems: ({ messages, shown }) => [askingProblem(messages, 3), answerProblem(shown, "approved")],
  }),
  onSale({
    name: "pending-declined",
    title: "Shows the final outcome after a 22",
    duty: "A 22 becomes 00 or 11 once. The POS shows that outcome and does not guess.",
    harm: "The cashier hands over goods that nobody paid for.",
    fix: "Show an outcome only when it is final.",
    script: { faults: [], customer: { kind: "pending", outcome: "11" } },
    expected: "questions about the same transaction until 11, then “not approved”",
    problems: ({ messages, shown }) => [askingProblem(messages, 2), answerProblem(shown, "not-approved")],
  }),
  onSale({
    name: "used-before",
    title: "Does not take a 40009 for an unpaid sale",
    duty: "A sale that is sent again more than 24 hours later gets 400 with code 40009. Send an inquiry that names its referenceId. Use no new referenceId before the outcome is known.",
    harm: "A sale of Friday is charged again on Monday, although the customer has paid.",
    fix: "On code 40009, send an inquiry with transData.referenceId and show its outcome. If the POS does not, keep the sale open for the cashier.",
    script: { faults: [passThrough(), USED_BEFORE], repeatsLast: true, customer: { kind: "pending", outcome: "00" } },
    expected: "no other transaction, and “approved” or an unknown outcome",
    problems: ({ messages, shown }) => [
      askingProblem(messages, 2),
      answerProblem(shown, "approved", "unknown", "failed-unknown"),
    ],
  }),
  atAnyTime({
    name: "new-attempt",
    title: "Uses a new referenceId for a new attempt after an 11",
    duty: "11 is final: no money moved and none will. A new attempt is a new transaction with a new referenceId; the old referenceId returns the old answer.",
    harm: "After one declined card the customer cannot pay with another.",
    fix: "Create a new referenceId for each attempt.",
    async judge({ scene }) {
      const amount = scene.newAmount();
      const first = await scene.sale({ faults: [], customer: DECLINES }, { about: amount });
      const second = await scene.sale(undefined, { about: amount });
      const blocked = withoutSale(scene, first.messages);
      if (blocked !== null) return blocked;
      const [declined, approved] = [listReferences(first.messages), listReferences(second.messages)];
      const both = approved.filter((reference) => declined.includes(reference));
      const problems = [
        answerProblem(first.shown, "not-approved"),
        approved.length === 0 && "the second attempt sent no message",
        both.length > 0 ? `${both.join(", ")} used again` : answerProblem(second.shown, "approved"),
      ];
      return keptUnless(problems, "“not approved”, then a new referenceId for the second attempt");
    },
  }),
  onSale({
    name: "rate-limited",
    title: "Waits for Retry-After after a 429",
    duty: "429 means that the message was not accepted. Send the same message again, not before the seconds in Retry-After have passed.",
    harm: "A POS that retries too fast locks out itself and the other POS.",
    fix: "Read Retry-After and wait that long before you send the same message again.",
    script: { faults: [refuseWith(429, { message: "Too many requests.", retryAfterSeconds: SHORT_RETRY_AFTER })] },
    expected: `the same message after ${SHORT_RETRY_AFTER} s`,
    problems({ messages, shown }) {
      const [first, second] = groupByTransaction(messages);
      const gap = first === undefined || second === undefined ? Infinity : second.at - first.at;
      return [
        repetitionProblem(messages),
        gap < SHORT_RETRY_AFTER * 1_000 - EARLY && `it came after ${Math.round(gap)} ms`,
        answerProblem(shown, "approved"),
      ];
    },
  }),
  givesUp("forbidden", "Stops at a 403", SUSPENDED, {
    duty: "403 means that the account is suspended or deleted. This message moved no money, and a retry does not help.",
    fix: "Show the error, and tell the cashier to contact the operator.",
  }),
  givesUp("invalid", "Stops at a 400", INVALID, {
    duty: "400 means that this message was not accepted. It lists every field to fix; the same message fails again.",
    fix: "Show the message and details of the error, and fix the fields they name.",
  }),
  keepsRecord("refused-later", "Keeps a sale open after a 403 to its second message", SUSPENDED),
  keepsRecord("invalid-later", "Keeps a sale open after a 400 to its second message", INVALID),
  afterCrash(false, {
    name: "crash",
    title: "Asks about an open sale after a crash",
    duty: "The POS stores the referenceId before it sends the message. After a crash it asks about that sale, or sends it again, before anything else.",
    harm: TWICE,
    fix: AGAIN,
  }),
  afterCrash(true, {
    name: "second-process",
    title: "Asks about an open sale although a second process has run",
    duty: "Two processes of one POS may run at once: after a double click, or with two windows. The second must not overwrite what the first has stored about its open sale.",
    harm: "After a crash nobody asks about the first sale. The customer has paid, and the POS knows nothing of it.",
    fix: "Lock the store, and refuse the second process; or keep each open sale in a record of its own.",
  }),
];
