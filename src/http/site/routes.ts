/** Pages for people on paths that the interface does not use. Programs get JSON for an unknown path. */
import { accepts } from "hono/accepts";
import type { Context } from "hono";
import { isOn } from "./consoles.ts";
import { pagePolicy, startPageName } from "./static-pages.ts";
import { type AppEnvironment, factory } from "../context.ts";
import { NOTHING_HERE, refuse } from "../errors.ts";

/** Tells the documentation where the demo's credentials are, not what they are. */
export const demoFile = factory.createApp().get("/docs/demo.json", (c) => {
  const file: string | undefined = c.env.DEMO_FILE;
  return c.json({ file: file === "" ? null : (file ?? null) });
});

/** Returns 404; for browsers, at `/` and below `/docs`, with a page of links. */
export async function nothingHere(c: Context<AppEnvironment>): Promise<Response> {
  const { pathname, origin } = new URL(c.req.url);
  if (asksForPage(c)) {
    const [name, status] = pathname === "/" ? [startPage(c.env), 200] : ["404", 404];
    if (pathname === "/" || pathname.startsWith("/docs/")) {
      const page = await c.env.ASSETS.fetch(new Request(`${origin}/${name}`));
      if (page.status === 200) return pageResponse(page.body, status);
    }
  }
  return refuse(c, NOTHING_HERE);
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

function pageResponse(body: BodyInit | null, status: number): Response {
  return new Response(body, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": pagePolicy(),
      "Referrer-Policy": "no-referrer",
      "X-Frame-Options": "DENY",
    },
  });
}
