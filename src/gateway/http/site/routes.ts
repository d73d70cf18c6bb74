/** Pages for people on paths that the interface does not use. Programs get JSON for an unknown path. */
import { accepts } from "hono/accepts";
import type { Context } from "hono";
import { isOn } from "./consoles.ts";
import { docsPolicy, pagePolicy, startPageName } from "./static-pages.ts";
import { type AppEnvironment, factory } from "../middleware/context.ts";
import { NOTHING_HERE, refuse } from "../middleware/errors.ts";

/** Tells the documentation where the demo's credentials are, not what they are. */
export const demoFile = factory.createApp().get("/docs/demo.json", (c) => {
  const file: string | undefined = c.env.DEMO_FILE;
  return c.json({ file: file === "" ? null : (file ?? null) });
});

/** Returns 404; for browsers, with the start page at `/` and a page of its own below `/docs`. */
export async function nothingHere(c: Context<AppEnvironment>): Promise<Response> {
  const { pathname, origin } = new URL(c.req.url);
  const isInDocs = pathname === "/docs" || pathname.startsWith("/docs/");
  if (isInDocs && isOrigin(c.env.DOCS_ORIGIN)) return docsOfStart(c.env.DOCS_ORIGIN, pathname);
  if (asksForPage(c) && (isInDocs || pathname === "/")) {
    const [name, status, policy] = isInDocs
      ? (["docs/404", 404, docsPolicy()] as const)
      : ([startPage(c.env), 200, pagePolicy()] as const);
    const page = await c.env.ASSETS.fetch(new Request(`${origin}/${name}`));
    if (page.status === 200) return pageResponse(page.body, "text/html; charset=utf-8", status, policy);
  }
  return refuse(c, NOTHING_HERE);
}

function isOrigin(given: string | undefined): given is string {
  return given !== undefined && given !== "";
}

/** `npm start` builds the documentation while the gateway runs already, and serves it until the next start. */
async function docsOfStart(origin: string, pathname: string): Promise<Response> {
  const { body, status, headers } = await fetch(origin + pathname);
  return pageResponse(body, headers.get("Content-Type") ?? "text/plain", status, docsPolicy());
}

function startPage(env: Env): string {
  return startPageName({ console: isOn(env.CONSOLE), operator: isOn(env.OPERATOR_CONSOLE) });
}

/** Browsers accept HTML when they open a page; programs accept JSON or anything. */
function asksForPage(c: Context<AppEnvironment>): boolean {
  const supports = ["application/json", "text/html"];
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  return isRead && accepts(c, { header: "Accept", supports, default: "application/json" }) === "text/html";
}

function pageResponse(body: BodyInit | null, type: string, status: number, policy: string): Response {
  return new Response(body, {
    status,
    headers: {
      "Content-Type": type,
      "Content-Security-Policy": policy,
      "Referrer-Policy": "no-referrer",
      "X-Frame-Options": "DENY",
    },
  });
}
