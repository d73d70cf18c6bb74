/**
 * The frames between gateway and terminal, as a terminal sees them: JSON texts, each with a `type`. Bare `ping` and
 * `pong` are not frames. Times are epoch milliseconds of the gateway's clock.
 */
import type { JsonObject, JsonValue } from "../../signing/json.ts";

/** The account a terminal works for; each member is null while it is bound to none. */
export interface Binding {
  posId: string | null;
  merchantId: string | null;
  /** ISO 4217, three letters. */
  currency: string | null;
  /** IANA time zone name. */
  timezone: string | null;
}

export interface WelcomeFrame extends Binding {
  type: "welcome";
  terminalId: string;
  /** To be repeated in `hello`. */
  nonce: string;
  serverTime: number;
  heartbeatSeconds: number;
}

export interface ReadyFrame {
  type: "ready";
}

export type TransactionType = "sale" | "cashOut" | "void";

/** What the POS asks the terminal to carry out. */
export interface TransactionRequest {
  /** Ten digits; one terminal's numbers only grow. */
  requestId: string;
  transType: TransactionType;
  posId: string;
  merchantId: string;
  referenceId: string;
  referenceLabel?: string;
  currency: string;
  /** The transaction's own number; for a void, that of the transaction to be voided. */
  transId: string;
  /** As in the POS's request: `transAmt`, `paymentMethod`, `note`, `printCount` and so on. */
  transData: JsonObject;
  /** Not to be begun when it is read later. */
  deliverBy: number;
  /** To be ended by itself until then. */
  respondBy: number;
}

export interface RequestFrame extends TransactionRequest {
  type: "request";
  attempt: number;
  signature: string;
}

export interface AskFrame {
  type: "ask";
  requestId: string;
  attempt: number;
}

export interface CancelFrame {
  type: "cancel";
  requestId: string;
  attempt: number;
}

export type StatusCode = "00" | "11" | "22";

/** The result with this status is durable at the gateway. */
export interface AckFrame {
  type: "ack";
  requestId: string;
  statusCode: StatusCode;
}

export interface BindingFrame extends Binding {
  type: "binding";
}

export interface ErrorFrame {
  type: "error";
  code: string;
  message: string;
  requestId?: string;
}

export type GatewayFrame =
  WelcomeFrame | ReadyFrame | RequestFrame | AskFrame | CancelFrame | AckFrame | BindingFrame | ErrorFrame;

export type RefusalReason = "busy" | "expired" | "unsupported" | "unbound" | "unknown";

export type Stage = "present" | "reading" | "pin" | "scan" | "authorising" | "printing";

/** What became of a transaction, as the terminal's maker reports it. */
export interface TerminalResult {
  statusCode: StatusCode;
  /** The channel's own code, at most 32 characters. */
  responseCode: string;
  /** For the POS's display, at most 128 characters. */
  responseText?: string;
  /** `paymentChannel`, `cardNo` (masked), `invNo`, `tid`, `mid` and so on. */
  transData?: JsonObject;
}

export type TerminalFrame =
  | { type: "accepted"; requestId: string; attempt: number }
  | { type: "refused"; requestId: string; attempt: number; reason: RefusalReason }
  | { type: "progress"; requestId: string; stage: Stage };

/** What the gateway sent, with the text's own JSON: that is what a signature covers. */
export type Reading = { kind: "frame"; frame: GatewayFrame; json: JsonObject } | { kind: "bad"; why: string };

const STATUS_CODES: readonly string[] = ["00", "11", "22"] satisfies StatusCode[];
const TRANSACTION_TYPES: readonly string[] = ["sale", "cashOut", "void"] satisfies TransactionType[];

type Shape = "text" | "text-if-any" | "text-or-null" | "number" | "object" | "status" | "transaction";

/** The members that a terminal relies on, per type. Others may come: an older terminal lets them pass. */
const SHAPES: Record<GatewayFrame["type"], Record<string, Shape>> = {
  welcome: {
    terminalId: "text",
    posId: "text-or-null",
    merchantId: "text-or-null",
    currency: "text-or-null",
    timezone: "text-or-null",
    nonce: "text",
    serverTime: "number",
    heartbeatSeconds: "number",
  },
  ready: {},
  request: {
    requestId: "text",
    attempt: "number",
    transType: "transaction",
    posId: "text",
    merchantId: "text",
    referenceId: "text",
    referenceLabel: "text-if-any",
    currency: "text",
    transId: "text",
    transData: "object",
    deliverBy: "number",
    respondBy: "number",
    signature: "text",
  },
  ask: { requestId: "text", attempt: "number" },
  cancel: { requestId: "text", attempt: "number" },
  ack: { requestId: "text", statusCode: "status" },
  binding: {
    posId: "text-or-null",
    merchantId: "text-or-null",
    currency: "text-or-null",
    timezone: "text-or-null",
  },
  error: { code: "text", message: "text", requestId: "text-if-any" },
};

function has(value: JsonValue | undefined, shape: Shape): boolean {
  switch (shape) {
    case "text":
      return typeof value === "string";
    case "text-if-any":
      return typeof value === "string" || value === undefined;
    case "text-or-null":
      return typeof value === "string" || value === null;
    case "number":
      return typeof value === "number";
    case "object":
      return isObject(value);
    case "status":
      return typeof value === "string" && STATUS_CODES.includes(value);
    case "transaction":
      return typeof value === "string" && TRANSACTION_TYPES.includes(value);
    default:
      return shape satisfies never;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isKnownType(type: JsonValue | undefined): type is GatewayFrame["type"] {
  return typeof type === "string" && Object.hasOwn(SHAPES, type);
}

/** Reads a parsed text as one of the gateway's frames. */
export function readFrame(json: JsonValue): Reading {
  if (!isObject(json)) return { kind: "bad", why: "not a JSON object" };
  const type = json["type"];
  if (!isKnownType(type)) return { kind: "bad", why: "unknown type" };
  const wrong = wrongMember(json, type);
  if (wrong !== undefined) return { kind: "bad", why: `${type}: ${wrong} is missing or of another kind` };
  return isFrame(json) ? { kind: "frame", frame: json, json } : { kind: "bad", why: "unknown type" };
}

function wrongMember(json: JsonObject, type: GatewayFrame["type"]): string | undefined {
  return Object.entries(SHAPES[type]).find(([name, shape]) => !has(json[name], shape))?.[0];
}

/** The members have been held against the table; TypeScript cannot follow that. */
function isFrame(json: object): json is GatewayFrame {
  return "type" in json;
}
