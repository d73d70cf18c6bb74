import type { Context } from "hono";
import { createFactory } from "hono/factory";
import type { MasterKeys } from "../keys/master-keys.ts";

/** Fields of a request's log line besides method, route and status: names only, never a secret (I6). */
export interface RequestFacts {
  account?: string;
  terminal?: string;
  operator?: string;
  /** The number of the transaction in the answer, as in the transaction's own log lines. */
  transaction?: number;
  /** A transfer's statusCode and responseCode. */
  outcome?: string;
  /** Why it was refused, if the response is deliberately less precise. */
  reason?: string;
}

/** The variables that middleware sets for the handlers of a request. */
export interface Variables {
  /** Sent as `X-Request-Id`, in error bodies and in every log line of the request. */
  traceId: string;
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
 * The part of a request's context that helpers need. Without `set`, so that the contexts of routes with more variables (the
 * account, the operator) fit as well.
 */
export type RequestContext = Pick<Context<AppEnvironment>, "env" | "req" | "get" | "json">;

export const factory = createFactory<AppEnvironment>();
