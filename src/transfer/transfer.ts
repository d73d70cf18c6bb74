/** A transfer's way through the Worker: authenticate → parse → admit → deliver → respond. */
import type { Context } from "hono";
import { invalid, refuse, type Refusal } from "../http/errors.ts";
import { readJsonObject } from "../http/validation/json-body.ts";
import { requestLife } from "../protocol/limits/transfers.ts";
import { err, ok, type Result } from "../result.ts";
import { terminalStub } from "../terminal/stub.ts";
import { admit, type Admitted } from "./admit.ts";
import type { TransferEnvironment } from "./authenticate.ts";
import { callFor } from "./call.ts";
import { channelsOf } from "./channels.ts";
import { deliver } from "./deliver.ts";
import { REPLY_MARGIN } from "./limits.ts";
import { namedChannel, type TransferMessage } from "./message.ts";
import type { Parse } from "./parse.ts";
import { readPreference } from "./prefer.ts";
import { respond } from "./respond.ts";

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

  const admitted = await admit(c, message.value, body.value);
  if (!admitted.ok) return admitted;
  return carryOut(c, message.value, admitted.value, arrivedAt);
}

async function carryOut(
  c: TransferContext,
  message: TransferMessage,
  admitted: Admitted,
  arrivedAt: number,
): Promise<Result<Response, Refusal>> {
  const channels = namedChannel(message) === undefined ? [] : await channelsOf(c.env.DATABASE, arrivedAt);

  // No prompt for a till that has given up: nothing is carried. Nobody reads the answer.
  const { signal } = c.req.raw;
  if (signal.aborted) return err({ ...invalid([]), message: "The connection was closed. Nothing was carried out." });

  // From here on the asker is known: nothing but an answer or a 400 leaves, and an open outcome is a signed 22.
  const life = requestLife(c.env.REQUEST_SECONDS);
  const preference = readPreference(c.req.header("Prefer"));
  const ownWait = preference !== null && preference.wait < life ? preference.wait : null;
  const delivery = await deliver({
    stub: () => terminalStub(c.env, message.deviceId),
    call: callFor(message, admitted, channels, ownWait === 0, arrivedAt),
    until: arrivedAt + life + REPLY_MARGIN,
    ownWait,
    signal,
  });
  if (delivery.kind === "refused") return err({ ...invalid(delivery.problems), code: delivery.code });
  return ok(respond(c, message, delivery, admitted.key, preference));
}
