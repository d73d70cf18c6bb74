/** What the kit has received from a terminal. Times (`at`) are milliseconds of the machine's monotonic clock. */
import { PING, PONG } from "../../protocol/frames.ts";
import type { JsonObject } from "../../signing/json.ts";
import { textOf } from "../message.ts";

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

/** Whether it is one of the two texts of the heartbeat, which are no frames. */
export function isBeat({ text }: Heard): boolean {
  return text === PING || text === PONG;
}

/** The type of a frame; "" for a text that is not a frame, and for null. */
export function typeOf(heard: Heard | null | undefined): string {
  return textOf(heard?.frame, "type");
}

/** The status of a result; "" for everything else. */
export function statusOf(heard: Heard | null | undefined): string {
  return typeOf(heard) === "result" ? textOf(heard?.frame, "statusCode") : "";
}

export function isFinal(heard: Heard): boolean {
  return ["00", "11"].includes(statusOf(heard));
}

/** The requestIds in the `open` list of a hello; null if `open` is not a list. */
export function openOf(hello: JsonObject | null | undefined): string[] | null {
  const open = hello?.["open"];
  return Array.isArray(open) ? open.map(String) : null;
}

/** Describes a text for a person: enough to identify it, nothing that could be secret. */
export function described(heard: Heard): string {
  const { frame, text } = heard;
  if (frame === null) return isBeat(heard) ? `“${text}”` : "a text that is not a frame";
  const named = ["statusCode", "responseCode", "reason", "stage"].map((name) => textOf(frame, name));
  return [textOf(frame, "type") || "a frame without a type", ...named].filter((word) => word !== "").join(" ");
}

/** Describes several texts, or one that may be missing. */
export function listed(heard: readonly Heard[] | Heard | null): string {
  const all = heard === null ? [] : "frame" in heard ? [heard] : heard;
  return all.length === 0 ? "nothing" : all.map(described).join(", ");
}
