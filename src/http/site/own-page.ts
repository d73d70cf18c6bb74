import { NOTHING_HERE, refuse } from "../errors.ts";
import type { RequestContext } from "../context.ts";

export function isOn(on: string | undefined): boolean {
  return on === "on";
}

/**
 * The page's own address works with and without a trailing slash.
 *
 * @param base such as `/console`
 * @param connect what the page may call besides this service's own origin
 */
export async function pageFile(c: RequestContext, base: string, connect: string[]): Promise<Response> {
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
export function pageHeaders(connect: string[]): Record<string, string> {
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
