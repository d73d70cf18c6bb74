/** The path of a transfer through the Worker: authenticate → parse → admit → deliver → respond. */
import type { Context } from "hono";
import { invalid, refuse, type Refusal } from "../errors.ts";
import { readJsonObject } from "../validation/json-body.ts";
import { requestLife } from "../../protocol/limits/transfers.ts";
import { err, ok, type Result } from "../../outcomes/result.ts";
import { terminalStub } from "../../rpc/terminal.ts";
import { admit, type Admitted, type TransferEnvironment } from "./admit.ts";
import { callFor } from "./call.ts";
import { channelsOf } from "./channels.ts";
import { deliver, type Delivery } from "./deliver.ts";
import { follow } from "./follow.ts";
import { REPLY_MARGIN } from "./limits.ts";
import { namedChannel, type TransferMessage } from "./message.ts";
import type { Parse } from "./parse.ts";
import { readPreference } from "../prefer.ts";
import { answerTo, setAnswerHeaders } from "./respond.ts";

type TransferContext = Context<TransferEnvironment>;

/** @param form `stages`: the till gets a stream with the stages, then the answer */
export async function transfer(c: TransferContext, parse: Parse, form: Form): Promise<Response> {
  const answer = await answered(c, parse, form);
  return answer.ok ? answer.value : refuse(c, answer.error);
}

export type Form = "answer" | "stages";

async function answered(c: TransferContext, parse: Parse, form: Form): Promise<Result<Response, Refusal>> {
  const arrivedAt = Date.now();
  const body = await readJsonObject(c, "plain");
  if (!body.ok) return body;
  const message = parse(body.value);
  if (!message.ok) return err(invalid(message.error));

  const admitted = await admit(c, message.value, body.value);
  if (!admitted.ok) return admitted;
  return execute(c, message.value, admitted.value, form, arrivedAt);
}

async function execute(
  c: TransferContext,
  message: TransferMessage,
  admitted: Admitted,
  form: Form,
  arrivedAt: number,
): Promise<Result<Response, Refusal>> {
  const channels = namedChannel(message) === undefined ? [] : await channelsOf(c.env.DATABASE, arrivedAt);

  // The till has given up, so the terminal must not prompt: nothing is processed, and nobody reads the answer.
  const { signal } = c.req.raw;
  if (signal.aborted) return err({ ...invalid([]), message: "The connection was closed. Nothing was processed." });

  // From here on the caller is known: the response is an answer or a 400, and an open outcome is a signed 22. The exception
  // is a new wallet sale whose channel cannot be checked: a 500, and nothing is sent.
  const life = requestLife(c.env.REQUEST_SECONDS);
  const preference = readPreference(c.req.header("Prefer"));
  const ownWait = preference !== null && preference.wait < life ? preference.wait : null;
  const task = {
    stub: () => terminalStub(c.env, message.deviceId),
    call: callFor(message, admitted, channels, ownWait === 0, form === "stages", arrivedAt),
    until: arrivedAt + life + REPLY_MARGIN,
    ownWait,
    signal,
  };
  if (form === "stages") {
    const following = await follow(c, {
      task,
      timezone: admitted.terms.timezone,
      answer: (delivery) => JSON.stringify(answerTo(c, message, delivery, admitted.key)),
      setHeaders: (isReplay) => setAnswerHeaders(c, preference, isReplay),
    });
    return following.ok ? following : err(refusalOf(following.error));
  }
  const delivery = await deliver(task);
  if (delivery.kind === "refused") return err(refusalOf(delivery));
  setAnswerHeaders(c, preference, delivery.kind === "answered" && delivery.replayed);
  return ok(c.json(answerTo(c, message, delivery, admitted.key)));
}

function refusalOf({ code, problems }: Extract<Delivery, { kind: "refused" }>): Refusal {
  return code === 50000 ? { kind: "internal_server_error" } : { ...invalid(problems), code };
}
