/**
 * Third step, with the one D1 round trip on a transfer's way: the account, its session and the terminal are read, and the
 * reference is claimed for the device.
 */
import { accountVerdict } from "../http/authentication.ts";
import { invalid, type Refusal } from "../http/errors.ts";
import type { ClaimsFor } from "../keys/tokens.ts";
import { logError } from "../log.ts";
import { err, ok, type Result } from "../result.ts";
import { admit as readAndClaim, type Admission, type AdmittedAccount, takeBackClaim } from "../storage/admission.ts";
import { claimedReference, namedChannel, readReference, type TransferMessage } from "./message.ts";

export interface Admitted extends Omit<Admission, "account"> {
  account: AdmittedAccount;
  /** The reference that has to be this device's, or null. The message claims it, or only reads who holds it. */
  reference: string | null;
}

/** @param now when the message arrived, epoch milliseconds */
export async function admit(
  database: D1Database,
  { sub: posId, sid: sessionId }: ClaimsFor<"access">,
  message: TransferMessage,
  now: number,
): Promise<Result<Admitted, Refusal>> {
  const { deviceId } = message;
  const isOwn = message.posId === posId;
  const claimed = isOwn ? claimedReference(message) : null;
  const reference = claimed ?? (isOwn ? readReference(message) : null);
  const channels = namedChannel(message) !== undefined;
  const question = { posId, sessionId, deviceId, referenceId: reference, claims: claimed !== null, channels };
  const { account, ...admission } = await readAndClaim(database, question, now);
  const verdict = accountVerdict(account);
  if (verdict !== null || account === null) return err(verdict ?? { kind: "internal_server_error" });
  if (!isOwn) return err(invalid([{ path: "posId", message: "is not the account of the access token" }]));
  return ok({ account, ...admission, reference });
}

/** A message that was refused gives back its own claim. The refusal stands where that fails. */
export async function releaseClaim(
  database: D1Database,
  { posId, deviceId }: TransferMessage,
  { claim, reference }: Admitted,
): Promise<void> {
  if (claim !== "held" || reference === null) return;
  try {
    await takeBackClaim(database, posId, reference, deviceId);
  } catch (error) {
    logError("a refused message's claim was not taken back", error, { account: posId });
  }
}
