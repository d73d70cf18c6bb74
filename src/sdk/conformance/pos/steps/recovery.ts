import { keptUnless, leftOut, type Step } from "../../step.ts";
import { EARLY, MESSAGES_AFTER_REFUSAL, SHORT_RETRY_AFTER, SILENT_WITHIN } from "../../times.ts";
import { textOf } from "../../message.ts";
import { askingProblem, referencesOf, repetitionProblem, shownProblem, transactions } from "../judge.ts";
import { approvedAfter, DECLINED, declinedAfter, type Reply } from "../ledger.ts";
import { anyTime, NO_SALE, onSale, type OnSale, type PosScene } from "../scene.ts";

const TWICE = "The customer pays twice: the first message may have been processed although its answer was lost.";
const AGAIN =
  "Store the referenceId before you send. Until you have a signed 00 or 11, send the same transaction again with a new datetime and signature, after 24 hours an inquiry that names it.";

function repeats(name: string, title: string, reply: Reply, when: string): Step<PosScene> {
  return onSale({
    name,
    title,
    duty: `${when}, send the same transaction again with the same referenceId, never with a new one. Asking again is sending again.`,
    harm: TWICE,
    fix: AGAIN,
    ...REPEATED,
    script: approvedAfter(reply),
  });
}

const REPEATED: Pick<OnSale, "expected" | "problems"> = {
  expected: "the same message again with the same referenceId, then “approved”",
  problems: ({ messages, shown }) => [repetitionProblem(messages), shownProblem(shown, "approved")],
};

const PENDING: Reply = { kind: "pending", responseCode: "TERMINAL_TIMEOUT" };

/** An answer that the gateway did not write is a lost answer, whatever its status. */
function answeredBySomebodyElse(name: string, title: string, reply: Omit<Reply & { kind: "foreign" }, "kind">) {
  return onSale({
    name,
    title,
    duty: "Only a 4xx with the gateway's own code (a number that begins with the status) and traceId refuses a message, and only a signed 200 is an answer. Everything else is a lost answer: send the same transaction again with the same referenceId.",
    harm: "A proxy gives up while the customer pays, the till shows “no money moved”, and the cashier charges again.",
    fix: "Look for code and traceId before you believe a 4xx, follow no redirect, and keep the record of the sale until you have a signed 00 or 11.",
    ...REPEATED,
    script: approvedAfter({ kind: "foreign", ...reply }),
  });
}

function givesUp(name: string, title: string, status: number, words: Pick<OnSale, "duty" | "fix">): Step<PosScene> {
  return onSale({
    name,
    title,
    ...words,
    harm: "The cashier waits in vain while the till retries.",
    script: { replies: [{ kind: "status", status }], completed: DECLINED, repeatsLast: true },
    expected: `at most ${MESSAGES_AFTER_REFUSAL} messages, and an error for the cashier`,
    problems: ({ messages, shown }) => [
      messages.length > MESSAGES_AFTER_REFUSAL && `${messages.length} messages`,
      shownProblem(shown, "not-approved", "failed", "failed-unknown", "unknown"),
    ],
  });
}

function forged(name: string, title: string, how: (Reply & { kind: "forged" })["how"], duty: string): Step<PosScene> {
  return onSale({
    name,
    title,
    duty,
    harm: "An attacker between till and gateway gets goods without paying.",
    fix: "Verify the signature over the JSON as received, compare posId, deviceId and referenceId, and only then read statusCode.",
    script: declinedAfter({ kind: "forged", how }),
    expected: "not “approved”: an unknown outcome, or the true one (11) after asking again",
    problems({ messages, shown }) {
      const [, ...others] = referencesOf(messages);
      return [
        shownProblem(shown, "not-approved", "unknown", "failed-unknown"),
        others.length > 0 && `a new transaction under ${others.join(", ")}`,
      ];
    },
  });
}

/** A till believes an answer that looks unusual and is right. */
const APPROVES: Pick<OnSale, "expected" | "problems"> = {
  expected: "“approved”",
  problems: ({ shown }) => [shownProblem(shown, "approved")],
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
  answeredBySomebodyElse("proxy-timeout", "Retries a message after a proxy's 408", {
    status: 408,
    type: "text/plain",
    body: "stream timeout",
  }),
  answeredBySomebodyElse("firewall", "Retries a message after a firewall's 403", {
    status: 403,
    type: "text/html",
    body: "<html><title>403 Forbidden</title></html>",
  }),
  answeredBySomebodyElse("foreign-error", "Retries a message after another program's 404 in JSON", {
    status: 404,
    type: "application/json",
    body: JSON.stringify({ code: 404, message: "no Route matched with those values" }),
  }),
  answeredBySomebodyElse("redirect", "Retries a message after a redirect, which it does not follow", {
    status: 307,
    type: "text/html",
    body: "",
    location: "/login-page",
  }),
  answeredBySomebodyElse("login-page", "Retries a message after a network's login page", {
    status: 200,
    type: "text/html",
    body: "<html><title>Welcome to our guest network</title></html>",
  }),
  onSale({
    name: "time-out",
    title: "Retries a message that gets no answer",
    duty: "When no answer arrives (it is due within 90 seconds), send the same transaction again with the same referenceId, never with a new one.",
    harm: TWICE,
    fix: AGAIN,
    ...REPEATED,
    script: approvedAfter({ kind: "silence" }),
    minutes: SILENT_WITHIN,
  }),
  onSale({
    name: "pending",
    title: "Asks again after a 22 until the outcome is final, and starts no other transaction",
    duty: "22 means that the outcome is not known yet. Send the same transaction again, or an inquiry about it, until it is 00 or 11. Use no new referenceId before.",
    harm: "The customer pays twice, because the first payment is approved after all.",
    fix: "Treat 22 as an open question: keep the sale open, ask again after a while, and do not let the cashier start another transaction for it.",
    script: approvedAfter(PENDING, PENDING),
    expected: "questions about the same transaction until 00, then “approved”",
    problems: ({ messages, shown }) => [askingProblem(messages, 3), shownProblem(shown, "approved")],
  }),
  onSale({
    name: "pending-declined",
    title: "Shows the final outcome after a 22",
    duty: "A 22 becomes 00 or 11 once. The POS shows that outcome and does not guess.",
    harm: "The cashier hands over goods that nobody paid for.",
    fix: "Show an outcome only when it is final.",
    script: declinedAfter(PENDING),
    expected: "questions about the same transaction until 11, then “not approved”",
    problems: ({ messages, shown }) => [askingProblem(messages, 2), shownProblem(shown, "not-approved")],
  }),
  onSale({
    name: "used-before",
    title: "Does not take a 40009 for an unpaid sale",
    duty: "A sale that is sent again more than 24 hours later gets 400 with code 40009. Send an inquiry that names its referenceId. Use no new referenceId before the outcome is known.",
    harm: "A sale of Friday is charged again on Monday, although the customer has paid.",
    fix: "On code 40009, send an inquiry with transData.referenceId and show its outcome. If the till does not, keep the sale open for the cashier.",
    script: { ...approvedAfter(PENDING, { kind: "used" }), repeatsLast: true },
    expected: "no other transaction, and “approved” or an unknown outcome",
    problems: ({ messages, shown }) => [
      askingProblem(messages, 2),
      shownProblem(shown, "approved", "unknown", "failed-unknown"),
    ],
  }),
  anyTime({
    name: "new-attempt",
    title: "Uses a new referenceId for a new attempt after an 11",
    duty: "11 is final: no money moved and none will. A new attempt is a new transaction with a new referenceId; the old referenceId returns the old answer.",
    harm: "After one declined card the customer cannot pay with another.",
    fix: "Create a new referenceId for each attempt.",
    async judge({ scene }) {
      const amount = scene.newAmount();
      const first = await scene.sale(declinedAfter(), amount);
      const second = await scene.sale(approvedAfter(), amount);
      const [declined, approved] = [referencesOf(first.messages), referencesOf(second.messages)];
      if (declined.length === 0) return NO_SALE;
      const both = approved.filter((reference) => declined.includes(reference));
      const problems = [
        shownProblem(first.shown, "not-approved"),
        approved.length === 0 && "the second attempt sent no message",
        both.length > 0 ? `${both.join(", ")} used again` : shownProblem(second.shown, "approved"),
      ];
      return keptUnless(problems, "“not approved”, then a new referenceId for the second attempt");
    },
  }),
  onSale({
    name: "rate-limited",
    title: "Waits for Retry-After after a 429",
    duty: "429 means that the message was not accepted. Send the same message again, not before the seconds in Retry-After have passed.",
    harm: "A till that retries too fast locks out itself and the other tills.",
    fix: "Read Retry-After and wait that long before you send the same message again.",
    script: approvedAfter({ kind: "status", status: 429, retryAfterSeconds: SHORT_RETRY_AFTER }),
    expected: `the same message after ${SHORT_RETRY_AFTER} s`,
    problems({ messages, shown }) {
      const [first, second] = transactions(messages);
      const gap = first === undefined || second === undefined ? Infinity : second.at - first.at;
      return [
        repetitionProblem(messages),
        gap < SHORT_RETRY_AFTER * 1_000 - EARLY && `it came after ${Math.round(gap)} ms`,
        shownProblem(shown, "approved"),
      ];
    },
  }),
  givesUp("forbidden", "Stops at a 403", 403, {
    duty: "403 means that the account is suspended or deleted. This message moved no money, and a retry does not help.",
    fix: "Show the error, and tell the cashier to contact the operator.",
  }),
  givesUp("invalid", "Stops at a 400", 400, {
    duty: "400 means that this message was not accepted. It lists every field to fix; the same message fails again.",
    fix: "Show the message and details of the error, and fix the fields they name.",
  }),
  anyTime({
    name: "crash",
    title: "Asks about an open sale after a crash",
    duty: "The POS stores the referenceId before it sends the message. After a crash it asks about that sale, or sends it again, before anything else.",
    harm: TWICE,
    fix: AGAIN,
    async judge({ scene }) {
      const driven = await scene.crash();
      if (driven === null) return leftOut("nobody can switch off the till (use --drive or --interactive)");
      const { messages, shown } = driven;
      const [first, second] = messages;
      if (first === undefined) return NO_SALE;
      if (shown === "unsupported") return leftOut("the till does not support the action “recover”");
      const problems = [
        second === undefined ? "it did not ask" : askingProblem(messages, 2),
        shown !== null && shownProblem(shown, "approved"),
      ];
      const expected = `a question about ${textOf(first.body, "referenceId")} before anything else, then its outcome`;
      return keptUnless(problems, expected);
    },
  }),
];

export const ANSWERS: readonly Step<PosScene>[] = [
  forged(
    "forged",
    "Rejects an answer signed with another key",
    "other-key",
    "Every answer to a transfer is signed with the account's key. An answer with a wrong signature proves nothing.",
  ),
  forged(
    "unsigned",
    "Rejects an unsigned answer",
    "unsigned",
    "Treat an unsigned answer like one with a wrong signature.",
  ),
  forged(
    "other-answer",
    "Rejects a genuine answer about another transaction",
    "other-reference",
    "A genuine answer about another referenceId proves nothing about this one.",
  ),
  onSale({
    name: "unknown-members",
    title: "Ignores unknown members of an answer",
    duty: "An answer may have unknown members. The signature covers them; ignore them otherwise.",
    harm: "When the gateway adds a member, the till no longer shows any payment as approved.",
    fix: "Verify the signature over the JSON as received, not only over the members you know.",
    ...APPROVES,
    script: { ...approvedAfter(), unknownMember: true },
  }),
  onSale({
    name: "replayed",
    title: "Accepts a replayed answer",
    duty: "Idempotent-Replayed: true marks the stored answer to a retry. It is as valid as the first answer.",
    harm: "After a lost answer the till shows an error for an approved payment.",
    fix: "Ignore the header. The body has the complete answer.",
    ...APPROVES,
    script: { ...approvedAfter(), replayed: true },
  }),
];
