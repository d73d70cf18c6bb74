/** The terminal's protocol: the frames of both directions, and the form in which those of the terminal are accepted. */
import * as z from "zod";
import { HEARTBEAT_SECONDS, OPEN_REQUESTS } from "../limits.ts";
import { formatDetails } from "./details.ts";
import type { Binding } from "./calls.ts";
import { respondBy } from "./lane/pump.ts";
import type { StatusCode, Transaction } from "./lane/transaction.ts";

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

const hello = z.object({
  type: z.literal("hello"),
  nonce: z.string(),
  softwareVersion: text,
  terminalSn: text,
  memory: z.string().min(1).max(128),
  open: z.array(requestId).max(OPEN_REQUESTS),
  signature: z.string(),
});

const accepted = z.object({ type: z.literal("accepted"), requestId, attempt });

const refused = z.object({
  type: z.literal("refused"),
  requestId,
  attempt,
  reason: z.enum(["busy", "expired", "unsupported", "unbound", "unknown"]),
});

const progress = z.object({
  type: z.literal("progress"),
  requestId,
  stage: z.enum(["present", "reading", "pin", "scan", "authorising", "printing"]),
});

const result = z.object({
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

/** Every frame that a terminal may send. */
export const terminalFrame = z.discriminatedUnion("type", [hello, accepted, refused, progress, result]);

export type TerminalFrame = z.infer<typeof terminalFrame>;
export type HelloFrame = z.infer<typeof hello>;
export type ResultFrame = z.infer<typeof result>;

interface BindingMembers {
  posId: string | null;
  merchantId: string | null;
  currency: string | null;
  timezone: string | null;
}

export type ErrorCode = "bad_signature" | "unknown_request" | "bad_frame";

/** Every frame that the gateway sends; `request` gets its signature where it is sent. */
export type GatewayFrame =
  | ({
      type: "welcome";
      terminalId: string;
      nonce: string;
      serverTime: number;
      heartbeatSeconds: number;
    } & BindingMembers)
  | { type: "ready" }
  | RequestFrame
  | { type: "ask"; requestId: string; attempt: number }
  | { type: "cancel"; requestId: string; attempt: number }
  | { type: "ack"; requestId: string; statusCode: StatusCode }
  | ({ type: "binding" } & BindingMembers)
  | { type: "error"; code: ErrorCode; message: string; requestId?: string };

export interface RequestFrame {
  type: "request";
  requestId: string;
  attempt: number;
  transType: string;
  posId: string;
  merchantId: string;
  referenceId: string;
  referenceLabel?: string;
  currency: string;
  /** A sale's or cashOut's own number, a void's target's. */
  transId: string;
  transData: Record<string, string | number>;
  /** Epoch milliseconds: not to be begun when it is read later. */
  deliverBy: number;
  /** Epoch milliseconds: the terminal ends by itself. */
  respondBy: number;
}

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

/** The request as the terminal gets it: known, normalised members only. */
export function requestFrame(transaction: Transaction): RequestFrame {
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
