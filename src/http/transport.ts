/** What holds for every request, whatever it asks for: HTTPS, cross-origin rules, headers. */
import type { Context } from "hono";
import { cors } from "hono/cors";
import { type AppEnvironment, type RequestContext, factory } from "./context.ts";
import { invalid, refuse } from "./errors.ts";

/** Names under which a machine reaches itself: there is no network in between to listen. */
const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

const YEAR_SECONDS = 31_536_000;

/** A request's URL is written in its normal form (https://url.spec.whatwg.org/#url-serializing). */
function isHttps(c: RequestContext): boolean {
  return c.req.url.startsWith("https:");
}

/** Refuses plain HTTP, over which tokens and passwords would be read by anybody. */
export const requireHttps = factory.createMiddleware(async (c, next) => {
  if (!isHttps(c) && !LOCAL_HOSTS.has(new URL(c.req.url).hostname)) {
    return refuse(c, invalid([{ path: "", message: "Use https." }], "Plain HTTP is refused; use https."));
  }
  return next();
});

/**
 * Headers that every answer carries. They are set before the answer is made, as one that is there is copied with every
 * header that is set. An upgrade's answer is left alone: it is no document, and its headers are fixed.
 */
export const commonHeaders = factory.createMiddleware(async (c, next) => {
  setCommonHeaders(c);
  await next();
  // Answers of other makers than this context, such as the site's files.
  if (c.res.status !== 101 && !c.res.headers.has("X-Request-Id")) setCommonHeaders(c);
});

function setCommonHeaders(c: Context<AppEnvironment>): void {
  c.header("X-Request-Id", c.get("requestId"));
  c.header("Cache-Control", "no-store");
  c.header("X-Content-Type-Options", "nosniff");
  // Browsers ignore it over plain HTTP (RFC 6797, section 8.1), so it is not sent there.
  if (isHttps(c)) c.header("Strict-Transport-Security", `max-age=${YEAR_SECONDS}`);
}

function allowedOrigins(env: Env): string[] {
  const configured: string | undefined = env.CORS_ORIGINS;
  return (configured ?? "")
    .split(",")
    .map((origin) => origin.trim())
    .filter((origin) => origin !== "");
}

const crossOrigin = cors({
  origin: (origin) => origin,
  allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  allowHeaders: ["Authorization", "Content-Type", "Prefer"],
  exposeHeaders: [
    "Idempotent-Replayed",
    "Preference-Applied",
    "Retry-After",
    "WWW-Authenticate",
    "X-Bind-Key-Expires-At",
    "X-Request-Id",
  ],
  maxAge: 600,
});

/** Lets pages of the configured origins call the service. For every other origin there is no such thing. */
export const allowConfiguredOrigins = factory.createMiddleware(async (c, next) => {
  const origin = c.req.header("Origin");
  // A WebSocket is no cross-origin request: its Origin is judged where it is opened.
  const upgrades = c.req.header("Upgrade") !== undefined;
  if (origin === undefined || upgrades || !allowedOrigins(c.env).includes(origin)) return next();
  return crossOrigin(c, next);
});

/** Whether a WebSocket may be opened: from no page at all, a page of this service, or one of a configured origin. */
export function isAllowedOrigin(c: RequestContext): boolean {
  const origin = c.req.header("Origin");
  return origin === undefined || origin === new URL(c.req.url).origin || allowedOrigins(c.env).includes(origin);
}
