/** What the kit has received from a terminal. Times (`at`) are milliseconds of the machine's monotonic clock. */
import { parseJson, type JsonObject, type JsonValue } from "../../signing/json.ts";

/** A text on a connection; `frame` is null if it is not a JSON object that the service accepts. */
export interface Heard {
  at: number;
  /** Connections are counted from 1. */
  connection: number;
  text: string;
  frame: JsonObject | null;
}

export interface LoginHeard {
  at: number;
  /** Null if it is not a JSON object. */
  body: JsonObject | null;
  signatureHolds: boolean;
  /** The HTTP status of the answer. */
  status: number;
  query: string;
}

export interface BindHeard {
  at: number;
  body: JsonObject | null;
  tokenHolds: boolean;
  /** How far its `datetime` was off, milliseconds; null without a `datetime`. */
  skew: number | null;
  status: number;
}

export interface ConnectHeard {
  at: number;
  query: string;
  protocols: string[];
  /** Where the kit found a token that it had issued. */
  token: "authorization" | "protocol" | "url" | "nowhere";
}

export function readText(text: string): JsonObject | null {
  const parsed = parseJson(text);
  return parsed.ok && isObject(parsed.value) ? parsed.value : null;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member as text, a number as its digits, "" for everything else. */
export function textOf(frame: JsonObject | null | undefined, name: string): string {
  const value = frame?.[name];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** The type of a frame; "" for a text that is not a frame, and for null. */
export function typeOf(heard: Heard | null | undefined): string {
  return textOf(heard?.frame, "type");
}

/** Describes a text for a person: enough to identify it, nothing that could be secret. */
export function described({ frame, text }: Heard): string {
  if (frame === null) return text === "ping" || text === "pong" ? `“${text}”` : "a text that is not a frame";
  const named = ["statusCode", "responseCode", "reason", "stage"].flatMap((name) =>
    textOf(frame, name) === "" ? [] : [textOf(frame, name)],
  );
  return [textOf(frame, "type") || "a frame without a type", ...named].join(" ");
}

/** Describes several texts, or one that may be missing. */
export function listed(heard: readonly Heard[] | Heard | null): string {
  const all = heard === null ? [] : "frame" in heard ? [heard] : heard;
  return all.length === 0 ? "nothing" : all.map(described).join(", ");
}

/** Lengths count Unicode code points. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}
