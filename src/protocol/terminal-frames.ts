/** The frames from a terminal, as the gateway reads them. Those from the gateway are in schemas/frames.ts. */
import * as z from "zod";
import { PROGRESS_STAGES, REFUSAL_REASONS } from "./frames.ts";
import { OPEN_REQUESTS } from "./limits.ts";
import { STATUS_CODES } from "./status-codes.ts";
import { TRANSACTION_NUMBER } from "./transactions.ts";

const requestId = z.union([
  z.string().regex(TRANSACTION_NUMBER, "must be the ten digits of a request's requestId").transform(Number),
  z.int().min(1_000_000_000).max(9_999_999_999),
]);

const attempt = z.int().min(1);

/**
 * Texts that the terminal reports. If one is missing or invalid, the result still counts. They are cut to length later.
 */
const text = z.preprocess((value) => (typeof value === "number" ? String(value) : value), z.string().catch(""));

/** Anything but an object counts as missing here, too. */
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
