import type { Context } from "hono";
import { createFactory } from "hono/factory";
import type { MasterKeys } from "../../secrets/master-keys.ts";

/** The fields of a request's log line besides method, route and status: names only, never a secret (I6). */
interface RequestFacts {
  account?: string;
  terminal?: string;
  operator?: string;
  /** The transaction's number, as in the transaction's own log lines. */
  transaction?: number;
  /** A transfer's statusCode and responseCode. */
  outcome?: string;
  /** The reason of a refusal, if the response is deliberately less precise. */
  reason?: string;
}

export interface Variables {
  /** Sent as `X-Request-Id`, in error bodies and in every log line of the request. */
  traceId: string;
  keys: MasterKeys;
  facts: RequestFacts;
  /** A sentence for the message of a 500: how to repeat a call that cannot be sent again unchanged. */
  repetition?: string;
  /** The most bytes of the body that are read, if they are fewer than `BODY_BYTES`. */
  bodyBytes?: number;
  /** It resolves when an answer that is a stream has ended. */
  ending?: Promise<void>;
}

export interface AppEnvironment {
  Bindings: Env;
  Variables: Variables;
}

/** The type has no `set`, so that the contexts of routes with more variables (the account, the operator) fit too. */
export type RequestContext = Pick<Context<AppEnvironment>, "env" | "req" | "get" | "json" | "executionCtx">;

export const factory = createFactory<AppEnvironment>();
