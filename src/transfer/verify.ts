/** Fourth step: the message's signature, its device, and the device that its reference belongs to. */
import { invalid, type Refusal } from "../http/errors.ts";
import { unsealOften } from "../keys/opened-keys.ts";
import type { MasterKeys } from "../keys/master-keys.ts";
import { logError } from "../log.ts";
import type { Problem } from "../protocol/problem.ts";
import { err, ok, type Result } from "../result.ts";
import type { JsonObject } from "../signing/json.ts";
import { verifySignature } from "../signing/signature.ts";
import { type AdmittedAccount, holderOf } from "../storage/admission.ts";
import { NOT_BOUND } from "../protocol/refusals.ts";
import type { Admitted } from "./admit.ts";
import { signatureProblem } from "./problems.ts";

/** The signing key that verifies `body`: the answer is signed with the same. */
export async function verify(
  database: D1Database,
  masterKeys: MasterKeys,
  admitted: Admitted,
  body: JsonObject,
  now: number,
): Promise<Result<string, Refusal>> {
  const { account, terminalKnown, terminalOwn, claim, reference } = admitted;
  const key = verifyingKey(masterKeys, account, body, now);
  if (!key.ok && key.error === "unreadable") {
    logError("an account's signing key is not readable", new Error("no master key opens it"), {
      account: account.posId,
    });
    return err({ kind: "internal_server_error" });
  }
  // I6: what is refused here is refused in the same words for a device that is not there and for one of somebody else's.
  const device: Problem[] = terminalOwn ? [] : [NOT_BOUND];
  if (!key.ok) return err(invalid([...device, signatureProblem(body)]));
  if (!terminalKnown) return err(invalid(device));
  if (claim === "elsewhere" && reference !== null) {
    return err(terminalOwn ? await clash(database, account.posId, reference) : invalid(device));
  }
  return key;
}

/** The current key, or the previous one while its overlap lasts. `unreadable`: no master key opens it. */
export function verifyingKey(
  masterKeys: MasterKeys,
  account: AdmittedAccount,
  body: JsonObject,
  now: number,
): Result<string, "wrong" | "unreadable"> {
  const current = unsealOften(masterKeys, account.signingKey, "account-signing-key", account.posId);
  if (!current.ok) return err("unreadable");
  if (verifySignature(body, current.value)) return ok(current.value);
  if (account.previousSigningKey !== null && (account.previousSigningKeyUntil ?? 0) > now) {
    const previous = unsealOften(masterKeys, account.previousSigningKey, "account-previous-signing-key", account.posId);
    if (previous.ok && verifySignature(body, previous.value)) return ok(previous.value);
  }
  return err("wrong");
}

/** I1: a reference belongs to one device. This stops the cashier who tries the terminal next door after a 22. */
async function clash(database: D1Database, posId: string, reference: string): Promise<Refusal> {
  let holder: string | null = null;
  try {
    holder = await holderOf(database, posId, reference);
  } catch (error) {
    // The refusal stands without the name; a 500 would leave the POS to guess.
    logError("the device that holds a reference could not be looked up", error, { account: posId });
  }
  const message =
    `was used on device ${holder ?? "(another one)"} first, and belongs to it; ask there how that transaction ended, ` +
    "and take a new referenceId for a new one";
  return { ...invalid([{ path: "referenceId", message }]), code: 40009 };
}
