/** Which answers a POS believes. */
import { keptUnless } from "../../step.ts";
import type { Step } from "../../step.ts";
import { shownProblems } from "../judge.ts";
import { NO_SALE, referencesOf, transactions } from "../scene.ts";
import type { PosScene } from "../scene.ts";
import { APPROVED, DECLINED } from "../script.ts";
import type { Reply } from "../script.ts";

function forged(name: string, title: string, how: (Reply & { kind: "forged" })["how"], duty: string): Step<PosScene> {
  return {
    name,
    title,
    duty,
    harm: "Whoever gets between till and gateway lets goods leave the shop unpaid.",
    mend: "Verify the answer's signature over the JSON as it was received, compare posId, deviceId and referenceId, and only then look at statusCode.",
    async run(scene) {
      const { messages, shown } = await scene.sale({ replies: [{ kind: "forged", how }], settled: DECLINED });
      if (messages.length === 0) return NO_SALE;
      const references = referencesOf(transactions(messages));
      const problems = [
        ...shownProblems(shown, "not-approved", "unknown", "failed-unknown"),
        ...(references.length > 1 ? [`a new transaction under ${references.slice(1).join(", ")}`] : []),
      ];
      return keptUnless(problems, "not “approved”: an unknown outcome, or the true one (11) after asking again");
    },
  };
}

function approves(
  name: string,
  title: string,
  how: { unknownMember?: boolean; replayed?: boolean },
  words: { duty: string; harm: string; mend: string },
): Step<PosScene> {
  return {
    name,
    title,
    ...words,
    async run(scene) {
      const { messages, shown } = await scene.sale({ replies: [], settled: APPROVED, ...how });
      if (messages.length === 0) return NO_SALE;
      return keptUnless(shownProblems(shown, "approved"), "“approved”");
    },
  };
}

export const ANSWERS: readonly Step<PosScene>[] = [
  forged(
    "forged",
    "Does not believe an answer that another key has signed",
    "other-key",
    "Every answer to a transfer is signed with the account's key; one that is not proves nothing, whatever it says.",
  ),
  forged(
    "unsigned",
    "Does not believe an answer without a signature",
    "unsigned",
    "An answer without a signature is treated as one whose signature is wrong.",
  ),
  forged(
    "other-answer",
    "Does not believe a true answer to another question",
    "other-reference",
    "A true answer about another referenceId proves nothing about this one.",
  ),
  approves(
    "unknown-members",
    "Lets members of an answer pass that it does not know",
    { unknownMember: true },
    {
      duty: "An answer may have further members: they are covered by the signature and otherwise ignored.",
      harm: "The day the gateway learns something new, no payment is shown as approved any more.",
      mend: "Verify the signature over the JSON as it was received, not over the members that you know.",
    },
  ),
  approves(
    "replayed",
    "Takes a repeated answer for what it says",
    { replayed: true },
    {
      duty: "Idempotent-Replayed: true marks the stored answer to a repetition: it is as good as the first one.",
      harm: "After a lost answer the till shows an error for a payment that was approved.",
      mend: "Ignore the header; the body says everything.",
    },
  ),
];
