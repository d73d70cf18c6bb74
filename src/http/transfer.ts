/**
 * A transfer's way through the Worker, step by step:
 * token, rate limit, shape, one D1 round trip, account and session, posId, terminal, signature, the terminal's object.
 */
import type { Context } from "hono";
import { accountVerdict, bearer } from "./authentication.ts";
import { invalid, readJsonObject } from "./body.ts";
import type { AppEnvironment } from "./context.ts";
import { type InvalidRequestCode, refuse, type Refusal } from "./errors.ts";
import { logError } from "./log.ts";
import { requestChecks, withinRates } from "./rate-limit.ts";
import { REPLY_MARGIN, requestLife } from "../limits.ts";
import type { JsonObject } from "../signing/json.ts";
import type { Problem } from "../signing/problem.ts";
import { gatewayAnswer } from "../terminal/lane/answers.ts";
import { NOT_BOUND } from "../terminal/lane/arrivals.ts";
import { terminalStub, type TerminalStub } from "../terminal/stub.ts";
import type { TransactionType } from "../terminal/lane/transaction.ts";
import { outcomeText } from "../terminal/transaction-log.ts";
import type { TransferReply } from "../terminal/transfer-calls.ts";
import { type Admission, admit, holderOf, takeBackClaim } from "../transfer/admission.ts";
import { carry } from "../transfer/carry.ts";
import { verifyingKey } from "../transfer/keys.ts";
import { readPreference } from "../transfer/prefer.ts";
import { type Address, transferResponse } from "../transfer/response.ts";
import type { CancelMessage } from "../transfer/schema.ts";

/** What the two endpoints differ in. */
export interface Errand<Message extends CancelMessage> {
  parse: (body: JsonObject) => { ok: true; message: Message } | { ok: false; problems: Problem[] };
  /** The reference that the message claims for the device, or null. */
  claims: (message: Message) => string | null;
  needsChannels: (message: Message) => boolean;
  call: (
    stub: TerminalStub,
    message: Message,
    account: SignedIn,
    patient: boolean,
    now: number,
  ) => Promise<TransferReply>;
  /** `transType` of the answer; `known` is that of the transaction, null for a tombstone. */
  transType: (message: Message, known: TransactionType | null) => Address["transType"];
  /** Whether the answer says which transaction it is about. */
  namesOriginal: (message: Message) => boolean;
}

export interface SignedIn {
  account: NonNullable<Admission["account"]>;
  channels: Admission["channels"];
}

export async function transfer<Message extends CancelMessage>(
  c: Context<AppEnvironment>,
  errand: Errand<Message>,
): Promise<Response> {
  const token = bearer(c, "access");
  if (!token.ok) return refuse(c, token.refusal);
  const { sub: posId, sid: sessionId } = token.claims;
  const tooMany = await withinRates(requestChecks(c, "account", posId));
  if (tooMany !== null) return refuse(c, tooMany);

  const body = await readJsonObject(c);
  if (!body.ok) return refuse(c, body.refusal);
  const parsed = errand.parse(body.value);
  if (!parsed.ok) return refuse(c, invalid(parsed.problems));
  const { message } = parsed;
  const { deviceId } = message;

  const now = Date.now();
  const ownAccount = message.posId === posId;
  const referenceId = ownAccount ? errand.claims(message) : null;
  const database = c.env.DATABASE;
  const admission = await admit(
    database,
    { posId, sessionId, deviceId, referenceId, channels: errand.needsChannels(message) },
    now,
  );
  const refused = async (refusal: Refusal): Promise<Response> => {
    if (admission.claim === "held" && referenceId !== null) {
      try {
        await takeBackClaim(database, posId, referenceId, deviceId);
      } catch (error) {
        logError("a refused message's claim was not taken back", error, { requestId: c.get("requestId") });
      }
    }
    return refuse(c, refusal);
  };

  const { account } = admission;
  const verdict = accountVerdict(account);
  if (verdict !== null || account === null) return refused(verdict ?? { kind: "internal_server_error" });
  if (!ownAccount) return refused(wrong("posId", "is not the account of the access token"));
  // Not before: what only looks like a device may be anything, a card number among it, and must not be logged (I6).
  if (admission.terminalKnown) c.get("facts").terminal = deviceId;
  // I6: what is refused here is refused in the same words for a device that is not there and for one of somebody else's.
  const notOwn = admission.terminalOwn ? [] : [NOT_BOUND];
  const key = verifyingKey(c.get("keys"), account, body.value, now);
  if (key.kind === "unreadable") {
    logError("an account's signing key is not readable", new Error("no master key opens it"), { account: posId });
    return refused({ kind: "internal_server_error" });
  }
  if (key.kind === "wrong") return refused(invalid([...notOwn, ...key.problems]));
  if (!admission.terminalKnown) return refused(invalid([NOT_BOUND]));
  if (admission.claim === "elsewhere" && referenceId !== null) {
    if (!admission.terminalOwn) return refused(invalid([NOT_BOUND]));
    return refused(await clash(database, posId, referenceId));
  }

  // From here on the asker is known, and nothing but an answer or a 400 leaves: an open outcome is a signed 22.
  const life = requestLife(c.env.REQUEST_SECONDS);
  const preference = readPreference(c.req.header("Prefer"));
  const shorter = preference !== null && preference.wait < life ? preference : null;
  const delivery = await carry({
    stub: () => terminalStub(c.env, deviceId),
    // Judged once, by the time of arrival: a try that was lost may still get there, so that none may be refused later.
    call: (stub) => errand.call(stub, message, { account, channels: admission.channels }, shorter?.wait === 0, now),
    until: now + life + REPLY_MARGIN,
    ownWait: shorter?.wait ?? null,
    signal: c.req.raw.signal,
  });
  if (delivery.kind === "refused") return refused(refusalOf(delivery.code, delivery.problems));

  const known = delivery.kind === "answered" ? delivery.about.transType : null;
  const address: Address = {
    transType: errand.transType(message, known),
    posId,
    deviceId,
    referenceId: message.referenceId,
  };
  const outcome =
    delivery.kind === "answered"
      ? delivery.outcome
      : gatewayAnswer("IN_PROGRESS", { softwareVersion: "unknown", terminalSn: "unknown" });
  const original = delivery.kind === "answered" && errand.namesOriginal(message) ? delivery.about : null;
  c.get("facts").outcome = outcomeText(outcome);
  if (delivery.kind === "answered") c.get("facts").transaction = delivery.about.requestId;
  if (preference !== null) c.header("Preference-Applied", preference.applied);
  if (delivery.kind === "answered" && delivery.replayed) c.header("Idempotent-Replayed", "true");
  return c.json(transferResponse(address, outcome, key.key, original));
}

function wrong(path: string, message: string): Refusal {
  return invalid([{ path, message }]);
}

async function clash(database: D1Database, posId: string, referenceId: string): Promise<Refusal> {
  let holder: string | null = null;
  try {
    holder = await holderOf(database, posId, referenceId);
  } catch (error) {
    // The refusal stands without the name; a 500 would leave the POS to guess.
    logError("the device that holds a reference could not be looked up", error, { account: posId });
  }
  const message =
    `was used on device ${holder ?? "(another one)"} first, and belongs to it; ask there how that transaction ended, ` +
    "and take a new referenceId for a new one";
  return refusalOf(40009, [{ path: "referenceId", message }]);
}

function refusalOf(code: InvalidRequestCode, problems: Problem[]): Refusal {
  return { ...invalid(problems), kind: "invalid_request", problems, code };
}
