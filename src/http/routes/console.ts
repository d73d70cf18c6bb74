/** The console: a page of static files, which exists only where the variable `CONSOLE` is "on". */
import type { RequestContext } from "../context.ts";
import { factory } from "../context.ts";
import { refuse } from "../errors.ts";

const NOTHING_HERE = "There is nothing at this path.";

/** Off, it is a path like any other that does not exist, whatever the method. */
const requireConsole = factory.createMiddleware(async (c, next) => {
  const configured: string | undefined = c.env.CONSOLE;
  if (configured !== "on") return refuse(c, { kind: "not_found", message: NOTHING_HERE });
  return next();
});

export const consolePage = factory
  .createApp()
  .all("/console/*", requireConsole)
  .get("/console/*", async (c) => {
    const { origin, pathname } = new URL(c.req.url);
    // The page's own address has no file name; with and without a slash it is the same page.
    const path = pathname === "/console" ? "/console/" : pathname;
    const file = await c.env.ASSETS.fetch(new Request(origin + path));
    // A redirect to another form of the same path, too, is nothing that the page asks for.
    if (file.status !== 200) return refuse(c, { kind: "not_found", message: NOTHING_HERE });
    const headers = new Headers(headersOf(c));
    const type = file.headers.get("Content-Type");
    if (type !== null) headers.set("Content-Type", type);
    return new Response(file.body, { headers });
  });

/** What a browser may do with the page: run its own files and call this service, and nothing else (I6). */
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
  // Not every browser takes 'self' for WebSockets as well.
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
