/** One log line per request, with the pattern of the route: the path itself may contain anything. */
import { matchedRoutes } from "hono/route";
import { factory } from "./context.ts";
import { log } from "../outcomes/log.ts";

export const logRequest = factory.createMiddleware(async (c, next) => {
  const traceId = crypto.randomUUID();
  const facts = {};
  c.set("traceId", traceId);
  c.set("facts", facts);
  const start = Date.now();
  await next();
  const route = matchedRoutes(c).findLast(({ path }) => !path.endsWith("*"))?.path ?? "none";
  const { status } = c.res;
  const line = (): void => {
    const milliseconds = Date.now() - start;
    log("info", "request", { traceId, method: c.req.method, route, status, milliseconds, ...facts });
  };
  const ending = c.get("ending");
  if (ending === undefined) line();
  else c.executionCtx.waitUntil(ending.then(line));
});
