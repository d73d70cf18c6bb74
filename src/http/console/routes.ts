/** The console: a page of static files. It exists only if the variable `CONSOLE` is "on". Ignores its query. */
import { factory, type RequestContext } from "../context.ts";
import { CONSOLE_SETTINGS_PATH, type ConsoleSettings } from "../../protocol/console-settings.ts";
import { requestLife } from "../../protocol/limits/transfers.ts";
import { SECOND } from "../../time/units.ts";
import { NOTHING_HERE, refuse } from "../errors.ts";

/** Without `CONSOLE`, its paths do not exist for any method. */
const requireConsole = factory.createMiddleware(async (c, next) => {
  const configured: string | undefined = c.env.CONSOLE;
  if (configured !== "on") return refuse(c, NOTHING_HERE);
  return next();
});

export const consolePage = factory
  .createApp()
  .all("/console/*", requireConsole)
  .get("/console/*", async (c) => {
    const { origin, pathname } = new URL(c.req.url);
    // The page's address works with and without a trailing slash.
    const path = pathname === "/console" ? "/console/" : pathname;
    if (path === CONSOLE_SETTINGS_PATH) return c.json(settingsOf(c), 200, headersOf(c));
    const file = await c.env.ASSETS.fetch(new Request(origin + path));
    // Redirects to another form of the same path count as not found too: the page requests none of them.
    if (file.status !== 200) return refuse(c, NOTHING_HERE);
    const headers = new Headers(headersOf(c));
    const type = file.headers.get("Content-Type");
    if (type !== null) headers.set("Content-Type", type);
    return new Response(file.body, { headers });
  });

function settingsOf({ env }: RequestContext): ConsoleSettings {
  return { requestSeconds: requestLife(env.REQUEST_SECONDS) / SECOND };
}

/** Lets the page run only its own files and call only this service (I6). */
function headersOf(c: RequestContext): Record<string, string> {
  return {
    "Content-Security-Policy": contentSecurityPolicy(c),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
  };
}

function contentSecurityPolicy(c: RequestContext): string {
  const { protocol, host } = new URL(c.req.url);
  // Some browsers do not apply 'self' to WebSockets.
  const sockets = `${protocol === "https:" ? "wss" : "ws"}://${host}`;
  const demo: string | undefined = c.env.CONSOLE_DEMO_ORIGIN;
  const connect = ["'self'", sockets, ...(demo === undefined || demo === "" ? [] : [demo])];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${connect.join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
