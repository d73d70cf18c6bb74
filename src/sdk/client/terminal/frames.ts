/** Checks the members that a terminal relies on. Plain `ping` and `pong` are not frames. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../protocol/signing/json.ts";
import type { GatewayFrame } from "../../../protocol/frames.ts";
import { isStatusCode, type StatusCode } from "../../../protocol/status-codes.ts";
import { isTransactionType } from "../../../protocol/transfer-types.ts";

export interface TerminalResult {
  statusCode: StatusCode;
  /** The channel's own code. */
  responseCode: string;
  /** A text that the POS displays. */
  responseText?: string | undefined;
  /** `paymentChannel`, `cardNo` (masked), `invNo`, `tid`, `mid` and so on. */
  transData?: JsonObject;
}

/** `json` is the frame as received, which the signature covers. */
export type FrameReading = { kind: "frame"; frame: GatewayFrame; json: JsonObject } | { kind: "bad"; why: string };

type Shape = "text" | "text-if-any" | "text-or-null" | "number" | "object" | "status" | "transaction";

type Members<Type extends GatewayFrame["type"]> = Exclude<keyof Extract<GatewayFrame, { type: Type }>, "type">;

const BINDING = {
  posId: "text-or-null",
  merchantId: "text-or-null",
  currency: "text-or-null",
  timezone: "text-or-null",
} as const;

const ATTEMPT = { requestId: "text", attempt: "number" } as const;

/** A terminal ignores other members. */
const SHAPES: { [Type in GatewayFrame["type"]]: Record<Members<Type>, Shape> } = {
  welcome: { terminalId: "text", ...BINDING, nonce: "text", serverTime: "number", heartbeatSeconds: "number" },
  ready: {},
  request: {
    ...ATTEMPT,
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
  ask: ATTEMPT,
  cancel: ATTEMPT,
  ack: { requestId: "text", statusCode: "status" },
  binding: BINDING,
  error: { code: "text", message: "text", doc: "text-if-any", requestId: "text-if-any" },
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
      return isJsonObject(value);
    case "status":
      return isStatusCode(value);
    case "transaction":
      return isTransactionType(value);
    default:
      return shape satisfies never;
  }
}

function isKnownType(type: JsonValue | undefined): type is GatewayFrame["type"] {
  return typeof type === "string" && Object.hasOwn(SHAPES, type);
}

export function readFrame(json: JsonValue): FrameReading {
  if (!isJsonObject(json)) return { kind: "bad", why: "not a JSON object" };
  const type = json["type"];
  if (!isKnownType(type)) return { kind: "bad", why: "unknown type" };
  const wrong = wrongMember(json, type);
  if (wrong !== undefined) return { kind: "bad", why: `${type}: ${wrong} is missing or has another type` };
  // TypeScript cannot see that the table has checked the members, so the assertion is needed.
  return { kind: "frame", frame: json as JsonObject & GatewayFrame, json };
}

function wrongMember(json: JsonObject, type: GatewayFrame["type"]): string | undefined {
  return Object.entries(SHAPES[type]).find(([name, shape]) => !has(json[name], shape))?.[0];
}
