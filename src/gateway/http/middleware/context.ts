import type { Context } from "hono";
import { createFactory } from "hono/factory";
import type { MasterKeys } from "../../secrets/master-keys.ts";

/** Fields of a request's log line besides method, route and status: names only, never a secret (I6). */
interface RequestFacts {
  account?: string;
  terminal?: string;
  operator?: string;
  /** The transaction's number, as in the transaction's own log lines. */
  transaction?: number;
  /** A transfer's statusCode and responseCode. */
  outcome?: string;
  /** Why the request was refused, if the response is deliberately less precise. */
  reason?: string;
}

export interface Variables {
  /** Sent as `X-Request-Id`, in error bodies and in every log line of the request. */
  traceId: string;
  keys: MasterKeys;
  facts: RequestFacts;
  /** How to repeat a call that cannot be sent again unchanged: a sentence for the message of a 500. */
  repetition?: string;
  /** The most bytes of the body that are read, where they are fewer than `BODY_BYTES`. */
  bodyBytes?: number;
  /** For an answer that is a stream: resolves when the stream has ended. */
  ending?: Promise<void>;
}

export interface AppEnvironment {
  Bindings: Env;
  Variables: Variables;
}

/** Without `set`, so that the contexts of routes with more variables (the account, the operator) fit too. */
export type RequestContext = Pick<Context<AppEnvironment>, "env" | "req" | "get" | "json" | "executionCtx">;

export const factory = createFactory<AppEnvironment>();
