import type { Context } from "hono";
import { createFactory } from "hono/factory";
import type { MasterKeys } from "../keys/master-keys.ts";

/** What a request's log line tells beside method, route and status: names only, never a secret (I6). */
export interface RequestFacts {
  account?: string;
  terminal?: string;
  operator?: string;
  /** The number of the transaction that a transfer was answered about: the same as in the transaction's own lines. */
  transaction?: number;
  /** A transfer's statusCode and responseCode. */
  outcome?: string;
  /** Why it was refused, where the answer is deliberately less precise. */
  reason?: string;
}

/** What the middlewares leave for the handlers of one request. */
export interface Variables {
  /** Answered as `X-Request-Id`, in error bodies and in every log line of the request. */
  requestId: string;
  keys: MasterKeys;
  facts: RequestFacts;
  /** Of an answer that is a stream: resolves when its end is known. */
  ending?: Promise<void>;
}

export interface AppEnvironment {
  Bindings: Env;
  Variables: Variables;
}

/**
 * What helpers take of a request's context. Without `set`, so that the contexts of routes that know more (the account,
 * the operator) fit as well.
 */
export type RequestContext = Pick<Context<AppEnvironment>, "env" | "req" | "get" | "json">;

export const factory = createFactory<AppEnvironment>();
