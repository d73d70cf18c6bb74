/** What the POS believes, and what it does not. */
import type { JsonObject } from "../../../../protocol/signing/json.ts";
import { dataOf, textOf, UNESCAPED_TEXT } from "../../message.ts";
import { keptUnless, leftOutVerdict, type KitStep } from "../../step.ts";
import { alterAnswer, DECLINES, passThrough, withHeader, type PosFault, type Script } from "../faults.ts";
import { listReferences, answerProblem } from "../judge.ts";
import { onSale, type OnSale, type PosScene, withoutSale } from "../scene.ts";
import { USED_BEFORE } from "./recovery.ts";

const OTHER_REFERENCE = "SOME-OTHER-REFERENCE";

/** The customer has not paid, and the first answer says so differently. */
function forged(name: string, title: string, fault: PosFault, duty: string): KitStep<PosScene> {
  return onSale({
    name,
    title,
    duty,
    ...DISBELIEVES,
    script: { faults: [fault], customer: DECLINES },
  });
}

const DISBELIEVES: Pick<OnSale, "harm" | "fix" | "expected" | "problems"> = {
  harm: "An attacker between POS and gateway gets goods without paying.",
  fix: "Verify the signature over the JSON as received, compare posId, deviceId and referenceId, and only then read statusCode.",
  expected: "not “approved”: an unknown outcome, or the true one (11) after asking again",
  problems({ messages, shown }) {
    const [, ...others] = listReferences(messages);
    return [
      answerProblem(shown, "not-approved", "unknown", "failed-unknown"),
      others.length > 0 && `a new transaction under ${others.join(", ")}`,
    ];
  },
};

function approved(answer: JsonObject): JsonObject {
  return { ...answer, statusCode: "00", responseCode: "00" };
}

/** A line separator, which the gateway accepts in no message, but an answer may have. */
const ANSWER_TEXTS = `${UNESCAPED_TEXT} \u2028`;

function always(fault: PosFault): Script {
  return { faults: [fault], repeatsLast: true };
}

/** A POS believes an answer that looks unusual and is right. */
const APPROVES: Pick<OnSale, "expected" | "problems"> = {
  expected: "“approved”",
  problems: ({ shown }) => [answerProblem(shown, "approved")],
};

const ABOUT_ANOTHER: PosFault = alterAnswer((answer) => ({
  ...approved(answer),
  originalReferenceId: OTHER_REFERENCE,
  transData: { ...dataOf(answer), transId: "1999999999" },
}));

/** The first questions get an answer about another transaction of the account. */
const aboutAnother: Script = {
  faults: [
    passThrough(),
    { ...USED_BEFORE, toQuestions: ABOUT_ANOTHER },
    { ...passThrough(), toQuestions: ABOUT_ANOTHER },
  ],
  customer: { kind: "pending", outcome: "11" },
};

export const ANSWERS: readonly KitStep<PosScene>[] = [
  forged(
    "forged",
    "Rejects an answer signed with another key",
    alterAnswer(approved, (key) => `not ${key}`),
    "Every answer to a transfer is signed with the account's key. An answer with a wrong signature proves nothing.",
  ),
  forged(
    "unsigned",
    "Rejects an unsigned answer",
    alterAnswer(approved, () => null),
    "Treat an unsigned answer like one with a wrong signature.",
  ),
  forged(
    "other-answer",
    "Rejects a genuine answer about another transaction",
    alterAnswer((answer) => ({ ...approved(answer), referenceId: OTHER_REFERENCE })),
    "A genuine answer about another referenceId proves nothing about this one.",
  ),
  onSale({
    name: "other-original",
    title: "Rejects an inquiry's answer about another transaction",
    duty: "The answer to an inquiry names its transaction in originalReferenceId and transData.transId. Only the one that the POS asked about counts.",
    ...DISBELIEVES,
    fix: "Compare originalReferenceId, or transData.transId if the inquiry named that, before you read statusCode.",
    script: aboutAnother,
  }),
  onSale({
    name: "unknown-members",
    title: "Ignores unknown members of an answer",
    duty: "An answer may have unknown members. The signature covers them; ignore them otherwise.",
    harm: "When the gateway adds a member, the POS no longer shows any payment as approved.",
    fix: "Verify the signature over the JSON as received, not only over the members you know.",
    ...APPROVES,
    script: always(alterAnswer((answer) => ({ ...answer, loyaltyPoints: { earned: 3, name: "Käfer" } }))),
  }),
  onSale({
    name: "replayed",
    title: "Accepts a replayed answer",
    duty: "Idempotent-Replayed: true marks the stored answer to a retry. It is as valid as the first answer.",
    harm: "After a lost answer the POS shows an error for an approved payment.",
    fix: "Ignore the header. The body has the complete answer.",
    ...APPROVES,
    script: always(withHeader("Idempotent-Replayed", "true")),
  }),
  onSale({
    name: "answer-texts",
    title: "Accepts an answer with special characters",
    duty: "Texts of an answer may have any character. In the signed form, RFC 8785 escapes only quotation marks, backslashes and control characters: not /, <, >, &, U+2028, and no other script.",
    harm: "The POS never shows the payments of some cards as approved.",
    fix: "Switch off your JSON encoder's escapes for HTML, slashes and other scripts (Go: SetEscapeHTML(false), and U+2028; PHP: JSON_UNESCAPED_SLASHES, _UNICODE and _LINE_TERMINATORS).",
    ...APPROVES,
    script: always(
      alterAnswer((answer) => ({
        ...answer,
        responseText: ANSWER_TEXTS,
        transData: { ...dataOf(answer), cardHoldersName: ANSWER_TEXTS },
      })),
    ),
  }),
  {
    name: "request-texts",
    title: "Signs special characters in its messages",
    duty: "What the cashier or the shop's software enters is signed as RFC 8785 writes it: /, <, >, & and other scripts stay as they are.",
    harm: "A sale with such a text in its note fails, on some days and in some shops only.",
    fix: "As for “answer-texts”. The note is NOTE in the environment of --drive's command.",
    async run(scene) {
      const { messages, shown } = await scene.sale(undefined, { note: UNESCAPED_TEXT });
      const sent = messages.find(({ body }) => textOf(dataOf(body), "note") !== "");
      if (sent === undefined) return withoutSale(scene, messages) ?? leftOutVerdict("the POS sends no note");
      const isWhole = textOf(dataOf(sent.body), "note") === UNESCAPED_TEXT;
      const problems = [
        !isWhole && "another note than the one given",
        !sent.signatureHolds && "a wrong signature",
        answerProblem(shown, "approved"),
      ];
      return keptUnless(problems, "a sale with the given note, signed");
    },
  },
];
