/** What a terminal was heard to say. Times (`at`) are milliseconds of the machine's steady clock. */
import { parseJson } from "../../signing/json.ts";
import type { JsonObject, JsonValue } from "../../signing/json.ts";

/** A text on a connection; `frame` is null for what is no JSON object as this service takes it. */
export interface Heard {
  at: number;
  /** Connections are counted from 1. */
  connection: number;
  text: string;
  frame: JsonObject | null;
}

export interface LoginHeard {
  at: number;
  /** Null for what is no JSON object. */
  body: JsonObject | null;
  signatureHolds: boolean;
  /** The HTTP status that it was answered with. */
  status: number;
  query: string;
}

export interface BindHeard {
  at: number;
  body: JsonObject | null;
  tokenHolds: boolean;
  /** By how much its `datetime` was off, milliseconds; null where it had none. */
  skew: number | null;
  status: number;
}

export interface ConnectHeard {
  at: number;
  query: string;
  protocols: string[];
  /** Where a token that the kit has given out was found. */
  token: "authorization" | "protocol" | "url" | "nowhere";
}

export function readText(text: string): JsonObject | null {
  const parsed = parseJson(text);
  return parsed.ok && isObject(parsed.value) ? parsed.value : null;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member as text; numbers as their digits; "" for everything else. */
export function textOf(frame: JsonObject | null | undefined, name: string): string {
  const value = frame?.[name];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** The type of a frame; "" for what is none, and for nothing. */
export function typeOf(heard: Heard | null | undefined): string {
  return textOf(heard?.frame, "type");
}

/** What a person is told of a text: enough to find it again, nothing that could be a secret. */
export function described({ frame, text }: Heard): string {
  if (frame === null) return text === "ping" || text === "pong" ? `“${text}”` : "a text that is no frame";
  const named = ["statusCode", "responseCode", "reason", "stage"].flatMap((name) =>
    textOf(frame, name) === "" ? [] : [textOf(frame, name)],
  );
  return [textOf(frame, "type") || "a frame without a type", ...named].join(" ");
}

/** The same of several texts, or of one that may not have come. */
export function listed(heard: readonly Heard[] | Heard | null): string {
  const all = heard === null ? [] : "frame" in heard ? [heard] : heard;
  return all.length === 0 ? "nothing" : all.map(described).join(", ");
}

/** Lengths count Unicode code points. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}
