/** Which of an account's signing keys a request was signed with. */
import type { MasterKeys } from "../keys/master-keys.ts";
import { unsealOften } from "../keys/opened-keys.ts";
import type { JsonObject } from "../signing/json.ts";
import { verifySignature } from "../signing/signature.ts";
import type { Problem } from "../signing/problem.ts";
import type { Admission } from "./admission.ts";
import { signatureProblem } from "./problems.ts";

export type KeyVerdict =
  { kind: "verified"; key: string } | { kind: "wrong"; problems: Problem[] } | { kind: "unreadable" };

/**
 * The key that verifies `body`: the current one, or the previous one while its overlap lasts. The answer is signed with
 * the same. `unreadable`: no master key opens it, which is the operator's to mend.
 */
export function verifyingKey(
  masterKeys: MasterKeys,
  account: NonNullable<Admission["account"]>,
  body: JsonObject,
  now: number,
): KeyVerdict {
  const current = unsealOften(masterKeys, account.signingKey, account.posId);
  if (!current.ok) return { kind: "unreadable" };
  if (verifySignature(body, current.plaintext)) return { kind: "verified", key: current.plaintext };
  if (account.previousSigningKey !== null && (account.previousSigningKeyUntil ?? 0) > now) {
    const previous = unsealOften(masterKeys, account.previousSigningKey, account.posId);
    if (previous.ok && verifySignature(body, previous.plaintext)) return { kind: "verified", key: previous.plaintext };
  }
  return { kind: "wrong", problems: [signatureProblem(body)] };
}
