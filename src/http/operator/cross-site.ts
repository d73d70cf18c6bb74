/**
 * Protects against requests that other sites' pages make a browser send. An operator's token is in the memory of one
 * page. The cookie of Cloudflare Access goes with every request that the browser sends, so a request that only Access
 * has signed in must prove that no other site made it.
 */
import type { RequestContext } from "../context.ts";

/**
 * Why a request may come from another site; null if it cannot. Browsers set `Sec-Fetch-Site` and `Origin` themselves. A
 * request without either comes from a program or an old browser: a form of another site can only make it send a POST,
 * and never as JSON.
 */
export function crossSiteProblem(c: RequestContext): string | null {
  const site = c.req.header("Sec-Fetch-Site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return `Sec-Fetch-Site: ${words(site)}`;
  const origin = c.req.header("Origin");
  if (origin !== undefined && origin !== new URL(c.req.url).origin) return "another Origin";
  if (c.req.method === "POST" && !isJson(c.req.header("Content-Type"))) return "a POST that is not JSON";
  return null;
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(?:;|$)/i.test(contentType ?? "");
}

function words(site: string): string {
  return /^[a-z-]{1,20}$/.test(site) ? site : "unknown";
}
