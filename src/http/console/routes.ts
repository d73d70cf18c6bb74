/** The console: a page of static files, which exists only where the variable `CONSOLE` is "on". Its query is ignored. */
import { factory, type RequestContext } from "../context.ts";
import { NOTHING_HERE, refuse } from "../errors.ts";

/** When it is off, its paths do not exist, whatever the method. */
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
    // The page's own address has no file name, and is the same with and without a slash.
    const path = pathname === "/console" ? "/console/" : pathname;
    const file = await c.env.ASSETS.fetch(new Request(origin + path));
    // That includes redirects to another form of the same path: the page asks for none of them.
    if (file.status !== 200) return refuse(c, NOTHING_HERE);
    const headers = new Headers(headersOf(c));
    const type = file.headers.get("Content-Type");
    if (type !== null) headers.set("Content-Type", type);
    return new Response(file.body, { headers });
  });

/** Lets a browser run the page's own files and call this service, and nothing else (I6). */
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
