/** What the kit has received from a POS. Times (`at`) are milliseconds of the machine's monotonic clock. */
import type { JsonObject } from "../../signing/json.ts";
import { isTransactionType } from "../../protocol/transfer-types.ts";
import { textOf } from "../terminal/heard.ts";

/** Any call. Secrets are checked on arrival and not kept. */
export interface CallHeard {
  at: number;
  method: string;
  path: string;
  /** The URL contained a token or the password. */
  secretInUrl: boolean;
  /** What `Authorization: Bearer` carried. */
  token: "access" | "refresh" | "stale" | "none";
  status: number;
}

/** A transfer or a cancel, whether or not it was accepted. */
export interface MessageHeard {
  at: number;
  path: string;
  body: JsonObject;
  signatureHolds: boolean;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** The tester's action that it belongs to. */
  drive: number;
  /** It is about a sale of an earlier step, although the till was to make another one. */
  isOlder?: true;
}

export interface LoginHeard {
  at: number;
  /** Why it was refused; empty if it was accepted. */
  problems: string[];
  /** Its Content-Type was JSON. */
  isJson: boolean;
}

export interface RefreshHeard {
  at: number;
  /** `current`: the newest refresh token. */
  token: "current" | "earlier" | "access" | "none";
}

/** The messages that start a transaction: sale, cashOut and void. */
export function transactions(messages: readonly MessageHeard[]): MessageHeard[] {
  return messages.filter(({ path, body }) => {
    const transType = textOf(body, "transType");
    return path === "/api/transfer" && isTransactionType(transType);
  });
}

export function referencesOf(messages: readonly MessageHeard[]): string[] {
  return [...new Set(messages.map(({ body }) => textOf(body, "referenceId")))];
}
