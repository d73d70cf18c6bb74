/** Transfers: authenticate → parse → admit → deliver → respond. */
import type { Context } from "hono";
import { prefers } from "../../middleware/accept.ts";
import { invalid, refuse, type Refusal } from "../../middleware/errors.ts";
import { readJsonObject } from "../../validation/json-body.ts";
import type { Problem } from "../../../../protocol/problem.ts";
import { ANSWER_WAIT, DEFAULT_REQUEST_SECONDS, REPLAY_LIFE, requestLife } from "../../../../protocol/limits.ts";
import { err, ok, type Result } from "../../../../protocol/result.ts";
import type { Admitted } from "../../../account/rpc.ts";
import { terminalStub } from "../../../terminal/rpc.ts";
import { admitTransfer, type TransferEnvironment } from "./admit.ts";
import { readChannels, type ChannelVerdict, judgeChannel } from "./channels.ts";
import { deliver, type Delivery, type DeliveryTask } from "./deliver.ts";
import { EVENT_STREAM, follow, COMMENT_EVERY } from "./follow.ts";
import { type Parse, parseCancel, parseTransfer } from "./messages.ts";
import type { TransferCall, TransferMessage } from "../../../../protocol/transfer-message.ts";
import { datetimeProblems } from "../../../../protocol/signing/problems.ts";
import { type Preference, readPreference } from "../../middleware/prefer.ts";
import { answerTo, setAnswerHeaders } from "./respond.ts";
import { requireAccountToken } from "../../middleware/authentication.ts";
import { factory } from "../../middleware/context.ts";
import { noQuery } from "../../validation/validators.ts";
import { describeCall, describeMessages } from "../../middleware/describe.ts";
import { transferMessages } from "./message-words.ts";
import { TRANSFER_STAGES } from "../../../../protocol/stages.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import {
  CANCEL_REFUSED,
  cancelExample,
  commonRefusals,
  PREFER,
  transferRefused,
  refusals,
  stageStream,
  transferExamples,
} from "./words.ts";
import { SECOND, type EpochMs } from "../../../../protocol/time/units.ts";

/** The Worker stops retrying this long after a request's end. An inquiry's ten seconds fit in. */
const REPLY_MARGIN = 15 * SECOND;

type TransferContext = Context<TransferEnvironment>;

/** With `stages`, the answer is a stream of the stages, which ends with the outcome. */
export type AnswerForm = "answer" | "stages";

export async function transfer(c: TransferContext, parse: Parse, form: AnswerForm): Promise<Response> {
  const answer = await processTransfer(c, parse, form);
  return answer.ok ? answer.value : refuse(c, answer.error);
}

async function processTransfer(c: TransferContext, parse: Parse, form: AnswerForm): Promise<Result<Response, Refusal>> {
  const arrivedAt = Date.now();
  const body = await readJsonObject(c, "plain");
  if (!body.ok) return body;
  const parsed = parse(body.value);
  if (!parsed.ok) return err(invalid(parsed.error));
  const message = parsed.value;

  prewarmTerminal(c, message);
  const admission = await admitTransfer(c, message, body.value);
  if (!admission.ok) return admission;
  const admitted = admission.value;
  const { terms: account, recorded } = admitted;
  const { channel, problems } = await checkChannel(c, message, account.currency, arrivedAt);

  // The POS has given up, so the terminal must not prompt: nothing is processed, and nobody reads the answer.
  const { signal } = c.req.raw;
  if (signal.aborted) return err({ ...invalid([]), message: "The connection was closed. Nothing was processed." });

  // From here on the caller is known: the response is an answer or a 400, and an open outcome is a signed 22. The
  // exception is a new wallet sale whose channel cannot be checked: a 500, and nothing is sent.
  const life = requestLife(c.env.REQUEST_SECONDS);
  const preference = readPreference(c.req.header("Prefer"));
  const ownWait = preference !== null && preference.wait < life ? preference.wait : null;
  const call: TransferCall = {
    ...message,
    account,
    recorded,
    arrivedAt,
    // They count only if the terminal's object does not know the transaction. They are judged by the time of arrival at the
    // Worker, so that an attempt which reaches the object late is judged as one that reached it at once.
    problems: [
      ...merchantProblems(message, account.merchantId),
      ...datetimeProblems(message.datetime, arrivedAt),
      ...problems,
    ],
    channel,
    detached: ownWait === 0,
    stages: form === "stages",
  };
  const task = {
    stub: () => terminalStub(c.env, message.deviceId),
    call,
    until: arrivedAt + life + REPLY_MARGIN,
    ownWait,
    signal,
    traceId: c.get("traceId"),
  };
  return deliverAndRespond(c, { message, admitted, task, preference, form });
}

/**
 * Wakes the terminal's object while the account admits the payment. Only for terminals that the token names: no text of
 * a message creates an object. Nothing depends on this call, so nobody waits for it.
 */
function prewarmTerminal(c: TransferContext, { kind, deviceId, posId }: TransferMessage): void {
  if (kind !== "submit" || c.get("claims").dev?.includes(deviceId) !== true) return;
  terminalStub(c.env, deviceId)
    .prewarm(posId)
    .catch(() => undefined);
}

const NO_CHANNEL: ChannelVerdict = { channel: "usable", problems: [] };

async function checkChannel(
  c: TransferContext,
  message: TransferMessage,
  currency: string,
  now: EpochMs,
): Promise<ChannelVerdict> {
  const name = message.kind === "submit" ? message.terms.paymentChannel : undefined;
  if (name === undefined) return NO_CHANNEL;
  return judgeChannel(name, await readChannels(c.env.DATABASE, now), currency);
}

function merchantProblems(message: TransferMessage, own: string): Problem[] {
  if (message.kind === "cancel" || message.merchantId === own) return [];
  return [
    {
      path: "merchantId",
      message: "This is not the account's merchant. Send the merchantId that the operator assigned.",
    },
  ];
}

interface AdmittedTransfer {
  message: TransferMessage;
  admitted: Admitted;
  task: DeliveryTask;
  preference: Preference | null;
  form: AnswerForm;
}

async function deliverAndRespond(
  c: TransferContext,
  { message, admitted, task, preference, form }: AdmittedTransfer,
): Promise<Result<Response, Refusal>> {
  if (form === "stages") {
    const following = await follow(c, {
      task,
      timezone: admitted.terms.timezone,
      answer: (delivery) => JSON.stringify(answerTo(c, message, delivery, admitted.signingKey)),
      setHeaders: (isReplay) => setAnswerHeaders(c, preference, isReplay),
    });
    return following.ok ? following : err(toRefusal(following.error));
  }
  const delivery = await deliver(task);
  if (delivery.kind === "refused") return err(toRefusal(delivery));
  setAnswerHeaders(c, preference, delivery.kind === "answered" && delivery.replayed);
  return ok(c.json(answerTo(c, message, delivery, admitted.signingKey)));
}

function toRefusal({ code, problems }: Extract<Delivery, { kind: "refused" }>): Refusal {
  return code === 50000 ? { kind: "internal_server_error" } : { ...invalid(problems), code };
}

export const transferCalls = factory.createApp();

/** Checks token and rate before anything is read. The account's object checks the rest. */
const authenticate = requireAccountToken("access");

describeMessages(transferMessages);

transferCalls.post("/api/transfer", authenticate, noQuery, (c) =>
  transfer(c, parseTransfer, prefers(EVENT_STREAM, c.req.header("Accept")) ? "stages" : "answer"),
);

describeCall(transferCalls, (kit) => ({
  tag: "Transfers",
  operationId: "transfer",
  summary: "Send a transfer",
  description: [
    "Charges, voids or asks, depending on `transType`. The response arrives when the outcome is known, at the latest when " +
      `the request's life of ${DEFAULT_REQUEST_SECONDS} seconds (\`REQUEST_SECONDS\`) is over, always with HTTP status ` +
      "200 and a `statusCode`:",
    "- `00`: money moved.\n" +
      "- `11`: no money moved and none will. A new attempt with a new `referenceId` is safe.\n" +
      "- `22`: pending. Send the same request again until it is `00` or `11`. After `UNCONFIRMED`, stop and ask the operator. " +
      "Never use a new `referenceId`.",
    "**Sending again is safe.** The same request (`referenceId`, `transType`, amounts, `paymentMethod`, `paymentChannel` and " +
      "`transId` are equal) joins the transaction in progress, asks the terminal about a pending one, or returns the stored " +
      "response, with `Idempotent-Replayed: true`. With other terms, on another device, or after more than " +
      `${duration(REPLAY_LIFE)}, it gets a 400 with code 40009. Then send an \`inquiry\` that names the \`referenceId\`, and do not ` +
      "charge again before you know the outcome. After a time-out, a broken connection or a 500, send the same request again.",
    "**Follow it live** with `Accept: text/event-stream`. A response with status 200 is then a stream of " +
      "[server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html): an event `stage` for each stage " +
      `as the transaction reaches it (${TRANSFER_STAGES.map((stage) => `\`${stage}\``).join(", ")}), a comment every ` +
      `${duration(COMMENT_EVERY)}, and at the end one event \`result\`, whose data is the signed response, byte for byte as ` +
      "without a stream. Errors are JSON. A stream that ends without `result` is a broken connection: send the request " +
      "again.",
    "The response is signed with the key that verified the request. Compare `posId`, `deviceId` and `referenceId` with " +
      "your request before you trust it.",
  ].join("\n\n"),
  headers: [PREFER],
  body: {
    description: "A signed transfer.",
    schema: "TransferRequest",
    examples: transferExamples(kit, "request"),
  },
  answers: {
    200: {
      description: "A signed response. `statusCode` is the outcome, or `22` while it is pending.",
      schema: "TransferResponse",
      examples: transferExamples(kit, "answer"),
      headers: ["Idempotent-Replayed", "Preference-Applied"],
      otherTypes: { [EVENT_STREAM]: stageStream(kit) },
    },
    400: kit.invalidRequest(transferRefused(), refusals(kit)),
  },
}));
transferCalls.post("/api/transfer/cancel", authenticate, noQuery, (c) => transfer(c, parseCancel, "answer"));

describeCall(transferCalls, (kit) => ({
  tag: "Transfers",
  operationId: "cancelTransfer",
  summary: "Cancel a transaction",
  description:
    "Cancels the transaction with this `referenceId`, and no other. Returns what the transfer would return: `11 CANCELLED` " +
    "if the terminal confirms it, the final result if it was too late, or a `22` if nothing is confirmed within " +
    `${duration(ANSWER_WAIT)}; then send it again. A reference without a transaction is completed as cancelled, ` +
    "permanently: a request that arrives later with it is never processed.",
  headers: [PREFER],
  body: {
    description: "The signed cancel.",
    schema: "CancelRequest",
    examples: cancelExample(kit, "request"),
  },
  answers: {
    200: {
      description: "A signed response about the transaction.",
      schema: "TransactionResponse",
      examples: cancelExample(kit, "answer"),
      headers: ["Idempotent-Replayed", "Preference-Applied"],
    },
    400: kit.invalidRequest(CANCEL_REFUSED, commonRefusals(kit)),
  },
}));
