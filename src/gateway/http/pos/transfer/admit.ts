/**
 * Third step: the account's object checks the message and claims its reference in one turn. D1 is not involved, so an
 * outage of D1 stops no transfer.
 */
import type { Context } from "hono";
import {
  type Admission,
  type SignedMessage,
  type Admitted,
  type AccountStub,
  accountStub,
} from "../../../account/rpc.ts";
import type { TokenEnvironment } from "../../middleware/authentication.ts";
import { invalid, type Refusal } from "../../middleware/errors.ts";
import { countForAccount } from "../../middleware/rate-limit.ts";
import { refusalOfCall } from "../../middleware/signed-call.ts";
import { objectInTime } from "../../middleware/time-limit.ts";
import { Repetition } from "../../../durable/repetition.ts";
import { NOT_BOUND, usedElsewhere } from "../../../../protocol/refusals.ts";
import { err, ok, type Result } from "../../../../protocol/result.ts";
import { signedForm } from "../../../../protocol/signing/canonical.ts";
import type { JsonObject } from "../../../../protocol/signing/json.ts";
import { signatureProblem } from "../../../../protocol/signing/problems.ts";
import { signatureOf } from "../../../../protocol/signing/signature.ts";
import { SECOND } from "../../../../protocol/time/units.ts";
import type { TransferMessage } from "../../../../protocol/transfer-message.ts";

/**
 * How long a failed call to the account's object is repeated, then the answer is 500; or one waits for it, then it is
 * 429. Nothing was sent.
 */
const ADMIT_WITHIN = 10 * SECOND;

export type TransferEnvironment = TokenEnvironment<"access">;

/** @throws if the account's object fails or is overloaded: then nothing was sent, and an unneeded claim does no harm */
export async function admitTransfer(
  c: Context<TransferEnvironment>,
  message: TransferMessage,
  body: JsonObject,
): Promise<Result<Admitted, Refusal>> {
  const { sub: posId, sid: sessionId } = c.get("claims");
  const repetition = new Repetition({ call: "admit", account: posId, traceId: c.get("traceId") });
  const signed = { ...message, sessionId, signedForm: signedForm(body), signature: signatureOf(body) };
  const admission = await ask(() => accountStub(c.env, posId), signed, { repetition, signal: c.req.raw.signal });
  if (admission.kind !== "admitted") return err(refusalFor(c, admission, body));
  // The device is logged only now: an unverified device may be any text, even a card number, which must not be logged
  // (I6).
  c.get("facts").terminal = message.deviceId;
  countForAccount(c, posId);
  return ok(admission);
}

/** Repeats a failed call: the object may have been reset, and claiming again changes nothing. */
async function ask(
  stub: () => AccountStub,
  message: SignedMessage,
  { repetition, signal }: { repetition: Repetition; signal: AbortSignal },
): Promise<Admission> {
  const until = Date.now() + ADMIT_WITHIN;
  for (;;) {
    try {
      return await objectInTime(stub().admit(message), Math.max(until - Date.now(), 0));
    } catch (error) {
      const pause = repetition.pauseAfter(error);
      if (pause === null || Date.now() + pause >= until || signal.aborted) throw error;
      await scheduler.wait(pause);
    }
  }
}

/** The words are the same for a device that does not exist and for another account's (I6). */
function refusalFor(
  c: Context<TransferEnvironment>,
  admission: Exclude<Admission, Admitted>,
  body: JsonObject,
): Refusal {
  switch (admission.kind) {
    case "wrong-signature":
      return invalid([...(admission.bound ? [] : [NOT_BOUND]), signatureProblem(body)]);
    case "no-such-device":
      return invalid([NOT_BOUND]);
    case "elsewhere":
      return admission.holder === null
        ? invalid([NOT_BOUND])
        : { ...invalid([usedElsewhere(admission.holder, admission.open)]), code: 40009 };
    case "too-many-unknown": {
      const seconds = Math.ceil((admission.retryAt - Date.now()) / SECOND);
      return { kind: "rate_limit_exceeded", retryAfterSeconds: Math.max(seconds, 1) };
    }
    default:
      return refusalOfCall(c, admission, body);
  }
}
