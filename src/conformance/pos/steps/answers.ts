/** Steps about the answers that a POS trusts. */
import { keptUnless, type Step } from "../../step.ts";
import { shownProblems } from "../judge.ts";
import { NO_SALE, type PosScene } from "../scene.ts";
import { referencesOf, transactions } from "../heard.ts";
import { APPROVED, DECLINED, type Reply } from "../script.ts";

function forged(name: string, title: string, how: (Reply & { kind: "forged" })["how"], duty: string): Step<PosScene> {
  return {
    name,
    title,
    duty,
    harm: "An attacker between till and gateway gets goods without paying.",
    fix: "Verify the signature over the JSON as received, compare posId, deviceId and referenceId, and only then read statusCode.",
    async run(scene) {
      const { messages, shown } = await scene.sale({ replies: [{ kind: "forged", how }], completed: DECLINED });
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
  words: { duty: string; harm: string; fix: string },
): Step<PosScene> {
  return {
    name,
    title,
    ...words,
    async run(scene) {
      const { messages, shown } = await scene.sale({ replies: [], completed: APPROVED, ...how });
      if (messages.length === 0) return NO_SALE;
      return keptUnless(shownProblems(shown, "approved"), "“approved”");
    },
  };
}

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
  approves(
    "unknown-members",
    "Ignores unknown members of an answer",
    { unknownMember: true },
    {
      duty: "An answer may have unknown members. The signature covers them; ignore them otherwise.",
      harm: "When the gateway adds a member, the till no longer shows any payment as approved.",
      fix: "Verify the signature over the JSON as received, not only over the members you know.",
    },
  ),
  approves(
    "replayed",
    "Accepts a replayed answer",
    { replayed: true },
    {
      duty: "Idempotent-Replayed: true marks the stored answer to a retry. It is as valid as the first answer.",
      harm: "After a lost answer the till shows an error for an approved payment.",
      fix: "Ignore the header. The body has the complete answer.",
    },
  ),
];
