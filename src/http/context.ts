import { createFactory } from "hono/factory";

/** What the middlewares leave for the handlers of one request. */
export interface Variables {
  /** Echoed as `X-Request-Id`, in error bodies and in every log line of the request. */
  requestId: string;
}

export interface AppEnvironment {
  Bindings: Env;
  Variables: Variables;
}

export const factory = createFactory<AppEnvironment>();
