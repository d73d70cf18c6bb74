/** Paths outside the interface: pages for people, and JSON for programs. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { startPages } from "../../../../src/docs/start-page.ts";
import { app } from "../../../../src/gateway/http/app.ts";
import { BASE_URL, type ErrorBody, call } from "../../../support/gateway.ts";

/** What Chromium sends when it opens a page. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

/** A site that has the pages for the gateway's address and for what is not there, and nothing else. */
const PAGES: Record<string, string> = {
  ...Object.fromEntries(Object.entries(startPages()).map(([name, page]) => [`/${name.replace(".html", "")}`, page])),
  "/docs/404": "<h1>no page</h1>",
};
const SITE = {
  fetch: async (request: Request) => {
    const page = PAGES[new URL(request.url).pathname];
    return page === undefined ? new Response(null, { status: 404 }) : new Response(page);
  },
};

async function open(
  path: string,
  { accept, method = "GET", changes = {} }: { accept?: string; method?: string; changes?: object } = {},
): Promise<Response> {
  const other: Partial<Record<keyof Env, unknown>> = { ASSETS: SITE, ...changes };
  const environment = { ...env, ...other } as Env;
  const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
  return app.fetch(new Request(BASE_URL + path, { method, headers }), environment, createExecutionContext());
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the address of the gateway", () => {
  it("shows a browser where to go, under a policy that runs nothing", async ({ expect }) => {
    const response = await open("/", { accept: BROWSER });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("Content-Security-Policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'",
    );
    expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(response.headers.get("X-Frame-Options")).toBe("DENY");
    expect(response.headers.get("X-Request-Id")).toMatch(/^[\da-f-]{36}$/u);
    const page = await response.text();
    for (const path of [
      "/docs",
      "/docs/first-sale",
      "/docs/reference",
      "/openapi.json",
      "/asyncapi.json",
      "/healthz",
    ]) {
      expect(page).toContain(`href="${path}"`);
    }
    expect(page).not.toContain("style=");
    expect(page).not.toContain("<script");
  });

  it("leads to the console and the operator's page if switched on", async ({ expect }) => {
    for (const CONSOLE of ["on", "off", undefined]) {
      for (const OPERATOR_CONSOLE of ["on", "off", undefined]) {
        const changes = { CONSOLE, OPERATOR_CONSOLE };
        const page = await (await open("/", { accept: BROWSER, changes })).text();
        expect([changes, page.includes('href="/console"'), page.includes('href="/operator/console"')]).toEqual([
          changes,
          CONSOLE === "on",
          OPERATOR_CONSOLE === "on",
        ]);
      }
    }
  });
});

describe("a question about a page, without the page", () => {
  it("is answered as the page is", async ({ expect }) => {
    for (const [path, status] of [
      ["/", 200],
      ["/docs/nowhere", 404],
    ] as const) {
      const response = await open(path, { accept: BROWSER, method: "HEAD" });
      expect([response.status, response.headers.get("Content-Type")]).toEqual([status, "text/html; charset=utf-8"]);
    }
  });
});

describe("an unknown address of the documentation", () => {
  it("shows a browser the page of links, as not found", async ({ expect }) => {
    for (const path of ["/docs/nowhere", "/docs/nowhere/deeper"]) {
      const response = await open(path, { accept: BROWSER });
      expect([path, response.status, await response.text()]).toEqual([path, 404, "<h1>no page</h1>"]);
      expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("Content-Security-Policy")).toMatch(/^default-src 'none';/u);
    }
  });
});

describe("the documentation that npm start still builds", () => {
  it("comes from npm start itself, under the documentation's policy", async ({ expect }) => {
    const asked: string[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      asked.push(new Request(input).url);
      return new Response("<h1>being built</h1>", { status: 503, headers: { "Content-Type": "text/html" } });
    });
    const response = await open("/docs/errors", { changes: { DOCS_ORIGIN: "http://127.0.0.1:4711" } });
    expect(asked).toEqual(["http://127.0.0.1:4711/docs/errors"]);
    expect([response.status, await response.text()]).toEqual([503, "<h1>being built</h1>"]);
    expect(response.headers.get("Content-Security-Policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;/u,
    );
  });
});

describe("a program", () => {
  it.for([
    ["/", undefined, "GET"],
    ["/", "*/*", "GET"],
    ["/", "application/json", "GET"],
    ["/", "application/json, text/html;q=0.9", "GET"],
    ["/docs/nowhere", "*/*", "GET"],
    ["/docs/nowhere", "application/json", "GET"],
    ["/", BROWSER, "POST"],
    ["/docs/nowhere", BROWSER, "DELETE"],
    ["/api/nowhere", BROWSER, "GET"],
    ["/nowhere", BROWSER, "GET"],
  ] as const)("gets the error of every unknown path at %s for %s, %s", async ([path, accept, method], { expect }) => {
    const nowhere = await call<ErrorBody>("GET", "/nowhere");
    const response = await open(path, { ...(accept === undefined ? {} : { accept }), method });
    expect(response.status).toBe(404);
    expect({ ...(await response.json<ErrorBody>()), traceId: "" }).toEqual({ ...nowhere.body, traceId: "" });
  });
});

describe("the file of the running demo", () => {
  it("is named if npm start has set it, and is null otherwise", async ({ expect }) => {
    const answers = await Promise.all(
      ["/data/demo.env", "", undefined].map(async (DEMO_FILE) =>
        (await open("/docs/demo.json", { changes: { DEMO_FILE } })).json(),
      ),
    );
    expect(answers).toEqual([{ file: "/data/demo.env" }, { file: null }, { file: null }]);
  });
});
