/** A transfer's way through the Worker: authenticate → parse → admit → verify → deliver → respond. */
import type { Context } from "hono";
import { invalid, refuse, type Refusal } from "../http/errors.ts";
import { readJsonObject } from "../http/validation/json-body.ts";
import { requestLife } from "../protocol/limits/transfers.ts";
import { err, ok, type Result } from "../result.ts";
import type { JsonObject } from "../signing/json.ts";
import { terminalStub } from "../terminal/stub.ts";
import { admit, type Admitted, releaseClaim } from "./admit.ts";
import type { TransferEnvironment } from "./authenticate.ts";
import { callFor } from "./call.ts";
import { deliver } from "./deliver.ts";
import { REPLY_MARGIN } from "./limits.ts";
import type { TransferMessage } from "./message.ts";
import type { Parse } from "./parse.ts";
import { readPreference } from "./prefer.ts";
import { respond } from "./respond.ts";
import { verify } from "./verify.ts";

type TransferContext = Context<TransferEnvironment>;

export async function transfer(c: TransferContext, parse: Parse): Promise<Response> {
  const answer = await answerTo(c, parse);
  return answer.ok ? answer.value : refuse(c, answer.error);
}

async function answerTo(c: TransferContext, parse: Parse): Promise<Result<Response, Refusal>> {
  const arrivedAt = Date.now();
  const body = await readJsonObject(c, "plain");
  if (!body.ok) return body;
  const message = parse(body.value);
  if (!message.ok) return err(invalid(message.error));

  const admitted = await admit(c.env.DATABASE, c.get("claims"), message.value, arrivedAt);
  if (!admitted.ok) return admitted;
  const answer = await answerAdmitted(c, message.value, body.value, admitted.value, arrivedAt);
  if (!answer.ok) await releaseClaim(c.env.DATABASE, message.value, admitted.value);
  return answer;
}

async function answerAdmitted(
  c: TransferContext,
  message: TransferMessage,
  body: JsonObject,
  admitted: Admitted,
  arrivedAt: number,
): Promise<Result<Response, Refusal>> {
  const { deviceId } = message;
  // Not before: what only looks like a device may be anything, a card number among it, and must not be logged (I6).
  if (admitted.terminalKnown) c.get("facts").terminal = deviceId;
  const key = await verify(c.env.DATABASE, c.get("keys"), admitted, body, arrivedAt);
  if (!key.ok) return key;

  // No prompt for a till that has given up: nothing is carried. Nobody reads the answer; a refusal gives back the claim.
  const { signal } = c.req.raw;
  if (signal.aborted) return err({ ...invalid([]), message: "The connection was closed. Nothing was carried out." });

  // From here on the asker is known: nothing but an answer or a 400 leaves, and an open outcome is a signed 22.
  const life = requestLife(c.env.REQUEST_SECONDS);
  const preference = readPreference(c.req.header("Prefer"));
  const ownWait = preference !== null && preference.wait < life ? preference.wait : null;
  const delivery = await deliver({
    stub: () => terminalStub(c.env, deviceId),
    call: callFor(message, admitted, ownWait === 0, arrivedAt),
    until: arrivedAt + life + REPLY_MARGIN,
    ownWait,
    signal,
  });
  if (delivery.kind === "refused") return err({ ...invalid(delivery.problems), code: delivery.code });
  return ok(respond(c, message, delivery, key.value, preference));
}
