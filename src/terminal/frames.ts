import * as z from "zod";
import { HEARTBEAT_SECONDS, OPEN_REQUESTS } from "../protocol/limits/connections.ts";
import type { Binding, BindingMembers } from "../protocol/binding.ts";
import { PROGRESS_STAGES, REFUSAL_REASONS, type GatewayFrame, type RequestFrame } from "../protocol/frames.ts";
import { STATUS_CODES } from "../protocol/status-codes.ts";
import { respondBy, type Transaction } from "./lane/index.ts";
import { TRANSACTION_NUMBER, type Details, type Terms } from "../protocol/transactions.ts";

const requestId = z.union([
  z.string().regex(TRANSACTION_NUMBER, "must be the ten digits of a request's requestId").transform(Number),
  z.int().min(1_000_000_000).max(9_999_999_999),
]);

const attempt = z.int().min(1);

/**
 * Texts that the terminal reports. If one is missing or invalid, the result still counts. They are cut to length later.
 */
const text = z.preprocess((value) => (typeof value === "number" ? String(value) : value), z.string().catch(""));

/** Likewise: anything but an object counts as missing. */
const reportedData = z.record(z.string(), z.unknown()).nullable().catch(null);

/** The form of a result's `transDateTime`. */
export const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/u;

export const hello = z.object({
  type: z.literal("hello"),
  nonce: z.string(),
  softwareVersion: text,
  terminalSn: text,
  memory: z.string().min(1).max(128),
  open: z.array(requestId).max(OPEN_REQUESTS),
  signature: z.string(),
});

export const accepted = z.object({
  type: z.literal("accepted"),
  requestId,
  attempt,
});

export const refused = z.object({
  type: z.literal("refused"),
  requestId,
  attempt,
  reason: z.enum(REFUSAL_REASONS),
});

export const progress = z.object({
  type: z.literal("progress"),
  requestId,
  stage: z.enum(PROGRESS_STAGES),
});

export const result = z.object({
  type: z.literal("result"),
  requestId,
  statusCode: z.enum(STATUS_CODES),
  responseCode: text,
  responseText: text,
  softwareVersion: text,
  terminalSn: text,
  transData: reportedData,
  signature: z.string(),
});

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

/** Has known, normalised members only. The frame is signed when it is sent. */
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
    referenceLabel: details.referenceLabel,
    currency: frozen.currency,
    transId: terms.transId ?? String(transaction.requestId),
    transData: formatDetails(terms, details),
    deliverBy: sending.deliverBy,
    respondBy: respondBy(transaction),
  };
}

/** Terms and details under the interface's names. */
function formatDetails(terms: Terms, details: Details): RequestFrame["transData"] {
  const { referenceLabel: _printedByName, ...printed } = details;
  // The assertion: payment methods are checked when the request arrives, and stored as text.
  return { ...terms, ...printed } as RequestFrame["transData"];
}
