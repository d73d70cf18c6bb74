/** Handles every request before its route. */
import type { Context } from "hono";
import { cors } from "hono/cors";
import { matchedRoutes } from "hono/route";
import { readMasterKeys } from "../../secrets/master-keys.ts";
import { log, logError } from "../../lib/log.ts";
import { readOrigins } from "./cors-origins.ts";
import { type AppEnvironment, type RequestContext, factory } from "./context.ts";
import { countRefusal } from "./count-refusals.ts";
import { invalid, refuse } from "./errors.ts";

/** Writes one log line per request, with the pattern of the route: the path itself may contain anything. */
export const logRequest = factory.createMiddleware(async (c, next) => {
  const traceId = crypto.randomUUID();
  const facts = {};
  c.set("traceId", traceId);
  c.set("facts", facts);
  const start = performance.now();
  await next();
  const route = matchedRoutes(c).findLast(({ path }) => !path.endsWith("*"))?.path ?? "none";
  const { status } = c.res;
  countRefusal(c, status);
  const line = (): void => {
    const milliseconds = Math.round(performance.now() - start);
    log("info", "request_answered", { traceId, method: c.req.method, route, status, milliseconds, ...facts });
  };
  const ending = c.get("ending");
  if (ending === undefined) line();
  else c.executionCtx.waitUntil(ending.then(line));
});

/** Refuses every request without usable secrets: there are no defaults. The log names the missing secret. */
export const requireConfiguration = factory.createMiddleware(async (c, next) => {
  const read = readMasterKeys(c.env.MASTER_KEYS);
  if (!read.ok) {
    logError("configuration_rejected", new Error(read.error), { traceId: c.get("traceId") });
    return refuse(c, { kind: "internal_server_error" });
  }
  c.set("keys", read.value);
  return next();
});

/** These names stand for the same machine, where nobody on a network can listen. */
const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

const YEAR_SECONDS = 31_536_000;

/** The URL of a request is normalised (https://url.spec.whatwg.org/#url-serializing). */
function isHttps(c: RequestContext): boolean {
  return c.req.url.startsWith("https:");
}

export function isLocal(c: RequestContext): boolean {
  return LOCAL_HOSTS.has(new URL(c.req.url).hostname);
}

/** On plain HTTP, anyone on the network could read tokens and passwords. */
export const requireHttps = factory.createMiddleware(async (c, next) => {
  if (!isHttps(c) && !isLocal(c)) {
    return refuse(c, invalid([{ path: "", message: "Use https." }], "Plain HTTP is refused. Use https."));
  }
  return next();
});

/**
 * Sets the headers before the response exists, because each later change copies the response. It skips the response to
 * an upgrade, whose headers are fixed.
 */
export const commonHeaders = factory.createMiddleware(async (c, next) => {
  setCommonHeaders(c);
  await next();
  // This covers responses that this context did not create, such as the site's files.
  if (c.res.status !== 101 && !c.res.headers.has("X-Request-Id")) setCommonHeaders(c);
});

function setCommonHeaders(c: Context<AppEnvironment>): void {
  c.header("X-Request-Id", c.get("traceId"));
  c.header("Cache-Control", "no-store");
  c.header("X-Content-Type-Options", "nosniff");
  // The header is not sent over plain HTTP, where browsers ignore it (RFC 6797, section 8.1).
  if (isHttps(c)) c.header("Strict-Transport-Security", `max-age=${YEAR_SECONDS}`);
}

/** The setting as it was read: it is the same for every request of an isolate. */
let read: { setting: string | undefined; origins: string[] } = { setting: undefined, origins: [] };

/** Entries that no browser can send are logged once for each isolate: `npm start` and `npm run deploy` refuse them. */
function allowedOrigins(env: Env): string[] {
  const setting: string | undefined = env.CORS_ORIGINS;
  if (setting === read.setting) return read.origins;
  const { origins, problems } = readOrigins(setting);
  for (const problem of problems) logError("configuration_rejected", new Error(problem));
  read = { setting, origins };
  return origins;
}

const crossOrigin = cors({
  origin: (origin) => origin,
  allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  allowHeaders: ["Authorization", "Content-Type", "Prefer"],
  exposeHeaders: [
    "Idempotent-Replayed",
    "Link",
    "Preference-Applied",
    "Retry-After",
    "WWW-Authenticate",
    "X-Bind-Key-Expires-At",
    "X-Request-Id",
  ],
  maxAge: 600,
});

/** Other origins get no CORS headers. */
export const allowConfiguredOrigins = factory.createMiddleware(async (c, next) => {
  const origin = c.req.header("Origin");
  // CORS does not apply to WebSockets: their Origin is checked where they are opened.
  const upgrades = c.req.header("Upgrade") !== undefined;
  if (origin === undefined || upgrades || !allowedOrigins(c.env).includes(origin)) return next();
  return crossOrigin(c, next);
});

/**
 * Whether a WebSocket may be opened: by a client without a page, or by a page of this service or a configured origin.
 */
export function isAllowedOrigin(c: RequestContext): boolean {
  const origin = c.req.header("Origin");
  return origin === undefined || origin === new URL(c.req.url).origin || allowedOrigins(c.env).includes(origin);
}
