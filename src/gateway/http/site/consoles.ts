/** The pages of the gateway itself: static files, each only if its variable is "on". They ignore their query. */
import { CONSOLE_SETTINGS_PATH, type ConsoleSettings } from "../../../protocol/console-settings.ts";
import { OPERATOR_SESSION_PATH, type OperatorSession } from "../../../protocol/operator-session.ts";
import { requestLife } from "../../../protocol/limits.ts";
import { SECOND } from "../../../protocol/time/units.ts";
import { factory, type RequestContext } from "../middleware/context.ts";
import { NOTHING_HERE, refuse } from "../middleware/errors.ts";
import { signedIn } from "../operator/authentication.ts";

export function isOn(on: string | undefined): boolean {
  return on === "on";
}

/**
 * The page's own address works with and without a trailing slash.
 *
 * @param base such as `/console`
 * @param connect what the page may call besides this service's own origin
 */
async function pageFile(c: RequestContext, base: string, connect: string[]): Promise<Response> {
  const { origin, pathname } = new URL(c.req.url);
  const path = pathname === base ? `${base}/` : pathname;
  const file = await c.env.ASSETS.fetch(new Request(origin + path));
  // A redirect to another form of the same path counts as not found: the page requests none of them.
  if (file.status !== 200) return refuse(c, NOTHING_HERE);
  const headers = new Headers(pageHeaders(connect));
  const type = file.headers.get("Content-Type");
  if (type !== null) headers.set("Content-Type", type);
  return new Response(file.body, { headers });
}

/** The page runs only its own files and calls only this service and `connect` (I6). */
function pageHeaders(connect: string[]): Record<string, string> {
  return {
    "Content-Security-Policy": contentSecurityPolicy(connect),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
  };
}

function contentSecurityPolicy(connect: string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${["'self'", ...connect].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

function requireOn(variable: "CONSOLE" | "OPERATOR_CONSOLE") {
  return factory.createMiddleware(async (c, next) => (isOn(c.env[variable]) ? next() : refuse(c, NOTHING_HERE)));
}

export const consolePage = factory
  .createApp()
  .all("/console/*", requireOn("CONSOLE"))
  .get("/console/*", async (c) => {
    const connect = connected(c);
    if (new URL(c.req.url).pathname !== CONSOLE_SETTINGS_PATH) return pageFile(c, "/console", connect);
    return c.json(readSettings(c), 200, pageHeaders(connect));
  });

function readSettings({ env }: RequestContext): ConsoleSettings {
  return { requestSeconds: requestLife(env.REQUEST_SECONDS) / SECOND, operatorConsole: isOn(env.OPERATOR_CONSOLE) };
}

/** The page may connect to the virtual terminal's socket, and to the demo's credentials. */
function connected(c: RequestContext): string[] {
  const { protocol, host } = new URL(c.req.url);
  // Some browsers do not apply 'self' to WebSockets.
  const sockets = `${protocol === "https:" ? "wss" : "ws"}://${host}`;
  const demo: string | undefined = c.env.CONSOLE_DEMO_ORIGIN;
  return demo ? [sockets, demo] : [sockets];
}

/**
 * Served without a token, because the page can do nothing until its user signs in. Must come before the routes that
 * require an operator.
 */
export const operatorPage = factory
  .createApp()
  .all("/operator/console/*", requireOn("OPERATOR_CONSOLE"))
  .get("/operator/console/*", async (c) => {
    if (new URL(c.req.url).pathname !== OPERATOR_SESSION_PATH) return pageFile(c, "/operator/console", []);
    const operator = await signedIn(c);
    const isNobody = !operator.ok && (operator.error.kind === "unauthorized" || operator.error.kind === "not_found");
    // A person who has entered a token sees what is wrong with it.
    const hasToken = c.req.header("Authorization") !== undefined;
    if (!operator.ok && (hasToken || !isNobody)) return refuse(c, operator.error);
    const { name = null, role = null } = operator.ok ? operator.value : {};
    const session: OperatorSession = { operator: name, role, console: isOn(c.env.CONSOLE) };
    return c.json(session, 200, pageHeaders([]));
  })
  .all("/operator/console/*", (c) => refuse(c, { kind: "method_not_allowed", allow: ["GET"] }));
