/** The terminal's protocol: the frames of both directions, and the form in which those of the terminal are accepted. */
import * as z from "zod";
import { HEARTBEAT_SECONDS, OPEN_REQUESTS } from "../limits.ts";
import type { BindingMembers, GatewayFrame, RequestFrame } from "./gateway-frames.ts";
import { formatDetails } from "./details.ts";
import type { Binding } from "./calls.ts";
import { respondBy } from "./lane/pump.ts";
import type { Transaction } from "./lane/transaction.ts";

export type { GatewayFrame, RequestFrame };

/** The subprotocol that both sides speak (RFC 6455, section 1.9). */
export const SUBPROTOCOL = "pos-terminal.v1";

/** Answered by the platform without waking the object; exact texts. */
export const PING = "ping";
export const PONG = "pong";

const requestId = z.union([
  z
    .string()
    .regex(/^[1-9][0-9]{9}$/u, "must be the ten digits of a request's requestId")
    .transform(Number),
  z.int().min(1_000_000_000).max(9_999_999_999),
]);

const attempt = z.int().min(1);

/** Texts that the terminal reports: missing or odd, they are never a reason to lose a result. Cut to length later. */
const text = z.preprocess((value) => (typeof value === "number" ? String(value) : value), z.string().catch(""));

/** Likewise: what is no object says nothing. */
const reportedData = z.record(z.string(), z.unknown()).nullable().catch(null);

const statusCode = z.enum(["00", "11", "22"]);

export const hello = z.object({
  type: z.literal("hello"),
  nonce: z.string(),
  softwareVersion: text,
  terminalSn: text,
  memory: z.string().min(1).max(128),
  open: z.array(requestId).max(OPEN_REQUESTS),
  signature: z.string(),
});

export const accepted = z.object({ type: z.literal("accepted"), requestId, attempt });

export const refused = z.object({
  type: z.literal("refused"),
  requestId,
  attempt,
  reason: z.enum(["busy", "expired", "unsupported", "unbound", "unknown"]),
});

export const progress = z.object({
  type: z.literal("progress"),
  requestId,
  stage: z.enum(["present", "reading", "pin", "scan", "authorising", "printing"]),
});

export const result = z.object({
  type: z.literal("result"),
  requestId,
  statusCode,
  responseCode: text,
  responseText: text,
  softwareVersion: text,
  terminalSn: text,
  transData: reportedData,
  signature: z.string(),
});

/** Every frame that a terminal may send. Those that the gateway sends are in `gateway-frames.ts`. */
export const terminalFrame = z.discriminatedUnion("type", [hello, accepted, refused, progress, result]);

export type TerminalFrame = z.infer<typeof terminalFrame>;
export type HelloFrame = z.infer<typeof hello>;
export type ResultFrame = z.infer<typeof result>;

export function bindingMembers(binding: Binding | null): BindingMembers {
  return {
    posId: binding?.posId ?? null,
    merchantId: binding?.merchantId ?? null,
    currency: binding?.currency ?? null,
    timezone: binding?.timezone ?? null,
  };
}

export function welcomeFrame(terminalId: string, binding: Binding | null, nonce: string, now: number): GatewayFrame {
  return {
    type: "welcome",
    terminalId,
    ...bindingMembers(binding),
    nonce,
    serverTime: now,
    heartbeatSeconds: HEARTBEAT_SECONDS,
  };
}

/** The request as the terminal gets it: known, normalised members only. It gets its signature where it is sent. */
export function requestFrame(transaction: Transaction): Omit<RequestFrame, "signature"> {
  const { terms, details, frozen, sending } = transaction;
  if (transaction.transType === null || sending === null) {
    throw new Error(`transaction ${transaction.requestId} is not to be sent`);
  }
  return {
    type: "request",
    requestId: String(transaction.requestId),
    attempt: transaction.attempt,
    transType: transaction.transType,
    posId: transaction.posId,
    merchantId: frozen.merchantId,
    referenceId: transaction.referenceId,
    ...(details.referenceLabel === undefined ? {} : { referenceLabel: details.referenceLabel }),
    currency: frozen.currency,
    transId: terms.transId ?? String(transaction.requestId),
    transData: formatDetails(terms, details),
    deliverBy: sending.deliverBy,
    respondBy: respondBy(transaction),
  };
}
