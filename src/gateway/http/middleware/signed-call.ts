/** Calls that are signed like a transfer: read here, checked by the account's object. */
import * as z from "zod";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import {
  accountStub,
  type CallOrigin,
  type CallRefusal,
  type SignedCall,
  type AccountView,
} from "../../account/rpc.ts";
import type { Problem } from "../../../protocol/problem.ts";
import { err, ok, type Result } from "../../../protocol/result.ts";
import { signedForm } from "../../../protocol/signing/canonical.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import { kindProblems } from "../../../protocol/signing/message-kind.ts";
import { signatureOf } from "../../../protocol/signing/signature.ts";
import { datetimeProblems, signatureProblem } from "../../../protocol/signing/problems.ts";
import { requestSignature, signedTime, textField } from "../validation/fields.ts";
import { NONCE_LENGTH, POS_ID_LENGTH, SIGNED_CALL_LENGTH } from "../../../protocol/lengths.ts";
import { validationProblems } from "../validation/problems.ts";
import { standingRefusal, type TokenEnvironment } from "./authentication.ts";
import type { RequestContext } from "./context.ts";
import { invalid, type Refusal, refuse, repeatBy, unreadableKey } from "./errors.ts";
import { readClientAddress } from "./rate-limit.ts";
import { readJsonObject } from "../validation/json-body.ts";

export const signedCall = z.object({
  posId: textField(POS_ID_LENGTH),
  datetime: signedTime,
  nonce: textField(NONCE_LENGTH),
  call: textField(SIGNED_CALL_LENGTH),
  signature: requestSignature,
});

/** For the descriptions of calls that `checkSigned` checks. */
export const MAY_BE_SIGNED =
  "A call with a `signature` is checked like a [change of a webhook](/docs/webhooks#sign-the-call). The operator can require " +
  "it of an account (`signedChanges`): without one, the call then gets 400.";

export type CallContext = Pick<Context<TokenEnvironment<"access">>, keyof RequestContext>;

/** The account's object may have used the nonce up before the call failed. */
const ANEW = "Sign the call anew, with a new nonce, and send it again.";

/** For routes whose calls are always signed. */
export const signedAnew = repeatBy(ANEW);

export type CallSchema = z.ZodType<z.infer<typeof signedCall>>;

interface ReadCall<Schema extends CallSchema> {
  message: z.output<Schema>;
  call: SignedCall;
  /** As received: this is what was signed. */
  body: JsonObject;
}

/** A 400 names every invalid field, and a `call` that names another call. */
export async function readSignedCall<Schema extends CallSchema>(
  c: CallContext,
  schema: Schema,
): Promise<Result<ReadCall<Schema>, Refusal>> {
  const read = await readJsonObject(c, "plain");
  return read.ok ? signedMessage(c, schema, read.value) : read;
}

function signedMessage<Schema extends CallSchema>(
  c: CallContext,
  schema: Schema,
  body: JsonObject,
): Result<ReadCall<Schema>, Refusal> {
  const parsed = schema.safeParse(body);
  const found = parsed.success ? [] : validationProblems(parsed.error);
  const named = new Set(found.map(({ path }) => path));
  // The schema reports missing members. This reports only members that mark another kind of message.
  const others = [...kindProblems(body, "call"), ...callProblems(c, body)].filter(({ path }) => !named.has(path));
  if (!parsed.success || others.length > 0) return err(invalid([...others, ...found]));
  const message = parsed.data;
  const { posId, datetime, nonce } = message;
  const off = datetimeProblems(datetime, Date.now());
  if (off.length > 0) return err(invalid(off));
  const { sid: sessionId } = c.get("claims");
  const call = { sessionId, posId, datetime, nonce, signedForm: signedForm(body), signature: signatureOf(body) };
  return ok({ message, call, body });
}

export function readCallOrigin(c: CallContext): CallOrigin {
  return { session: c.get("claims").sid, address: readClientAddress(c) };
}

/** Whether a call that may be unsigned is signed. */
export function isSignedCall(body: JsonObject): boolean {
  return Object.hasOwn(body, "signature");
}

/**
 * Serves calls that an account may sign, and must if the operator requires it. It verifies a signature and uses it up.
 */
export const checkSigned = createMiddleware<TokenEnvironment<"access", { account: AccountView }>>(async (c, next) => {
  const body = await c.req.json<JsonObject>();
  const { posId, signedChanges } = c.get("account");
  if (!isSignedCall(body)) return signedChanges ? refuse(c, unsigned(c)) : next();
  c.set("repetition", ANEW);
  const read = signedMessage(c, signedCall, body);
  if (!read.ok) return refuse(c, read.error);
  const verdict = await accountStub(c.env, posId).takeCall(read.value.call);
  return verdict.kind === "good" ? next() : refuse(c, refusalOfCall(c, verdict, body));
});

function unsigned({ req: { method, path } }: CallContext): Refusal {
  const message =
    "The operator requires this account to sign this call. Send posId, datetime, nonce, call " +
    `(${method} ${path}) and signature, as for a change of a webhook.`;
  return invalid([{ path: "signature", message }]);
}

function callProblems(c: CallContext, { call }: JsonObject): Problem[] {
  const expected = `${c.req.method} ${c.req.path}`;
  return call === expected ? [] : [{ path: "call", message: `Send what this message calls: ${expected}` }];
}

export function refusalOfCall(c: CallContext, refusal: CallRefusal, body: JsonObject): Refusal {
  switch (refusal.kind) {
    case "unknown":
    case "not-active":
    case "session-ended":
      return standingRefusal(c, refusal);
    case "other-account":
      return invalid([
        { path: "posId", message: "This is not the account of the access token. Send that account's posId." },
      ]);
    case "unreadable-key":
      return unreadableKey(c.get("claims").sub);
    case "wrong-signature":
      return invalid([signatureProblem(body)]);
    case "clock-off":
      // Near the limit, the Worker's clock and the object's may disagree.
      return invalid([
        {
          path: "datetime",
          message: "The time is too far from the gateway's clock. Send the current time in UTC and sign again.",
        },
      ]);
    case "used":
      return invalid([
        { path: "nonce", message: "This nonce was used before. Send a new nonce for each call and sign again." },
      ]);
    default:
      return refusal satisfies never;
  }
}
