import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { app } from "../../../../src/gateway/http/app.ts";
import { BASE_URL, call, type ErrorBody } from "../../../support/gateway.ts";
import { PAGE_HEADERS } from "../../../support/page-headers.ts";

/** The files of the site, and which of them were asked for. */
function site(): { asked: string[]; fetch: (request: Request) => Promise<Response> } {
  const asked: string[] = [];
  return {
    asked,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(`${request.method} ${pathname}`);
      if (pathname === "/console/") {
        const headers = { "Content-Type": "text/html", "Cache-Control": "public, max-age=9", "X-Own": "1" };
        return new Response("<!doctype html>", { headers });
      }
      if (pathname === "/console/index.html") return Response.redirect(`${BASE_URL}/console/`, 307);
      return new Response(null, { status: 404 });
    },
  };
}

async function callConsole(
  changes: Partial<Record<keyof Env, unknown>>,
  path: string,
  method = "GET",
  base = BASE_URL,
): Promise<Response> {
  const on: Partial<Record<keyof Env, unknown>> = { CONSOLE: "on", ASSETS: site(), ...changes };
  const environment = { ...env, ...on } as Env;
  return app.fetch(new Request(base + path, { method }), environment, createExecutionContext());
}

function policyOf(response: Response): Map<string, string> {
  const directives = (response.headers.get("Content-Security-Policy") ?? "").split("; ");
  return new Map(
    directives.map((directive) => [directive.split(" ")[0] ?? "", directive.split(" ").slice(1).join(" ")]),
  );
}

describe("the console's settings", () => {
  it("include how long a request lives and whether operators have a page", async ({ expect }) => {
    const response = await callConsole({ REQUEST_SECONDS: "45" }, "/console/settings.json");
    expect([response.status, await response.json()]).toEqual([200, { requestSeconds: 45, operatorConsole: false }]);
    const withOperator = await callConsole({ OPERATOR_CONSOLE: "on" }, "/console/settings.json");
    expect(await withOperator.json()).toMatchObject({ operatorConsole: true });
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect((await callConsole({ CONSOLE: "off" }, "/console/settings.json")).status).toBe(404);
  });
});

describe("the console, switched off", () => {
  it("answers in the same words as any path that does not exist", async ({ expect }) => {
    const nowhere = await call<ErrorBody>("GET", "/nowhere");
    for (const path of ["/console", "/console/", "/console/main.js", "/console/index.html"]) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { status, body, headers } = await call<ErrorBody>(method, path);
        expect([path, status, { ...body, traceId: "" }]).toEqual([path, 404, { ...nowhere.body, traceId: "" }]);
        expect(headers.get("Allow")).toBeNull();
        expect(headers.get("Content-Security-Policy")).toBeNull();
      }
    }
  });

  it("is off for every value except on, and asks for no file", async ({ expect }) => {
    for (const CONSOLE of ["off", "", "ON", "true", "1", undefined]) {
      const ASSETS = site();
      const response = await callConsole({ CONSOLE, ASSETS }, "/console/");
      expect([CONSOLE, response.status, ASSETS.asked]).toEqual([CONSOLE, 404, []]);
    }
  });
});

describe("the console, switched on", () => {
  it.for(["/console", "/console/"])("is the same page at %s", async (path, { expect }) => {
    const ASSETS = site();
    const response = await callConsole({ ASSETS }, path);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/html");
    expect(await response.text()).toBe("<!doctype html>");
    expect(ASSETS.asked).toEqual(["GET /console/"]);
  });

  it("runs only its own files and calls only its own service", async ({ expect }) => {
    const response = await callConsole({}, "/console");
    expect(Object.fromEntries(policyOf(response))).toEqual({
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "img-src": "'self'",
      "connect-src": "'self' wss://gateway.test",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
      "require-trusted-types-for": "'script'",
      "trusted-types": "'none'",
    });
    expect(Object.fromEntries(response.headers)).toMatchObject(PAGE_HEADERS);
    expect(response.headers.get("Permissions-Policy")).toContain("camera=()");
    expect(response.headers.get("X-Own")).toBeNull();
  });

  it("is 404 for files that do not exist, and for a redirect", async ({ expect }) => {
    for (const path of ["/console/nothing.js", "/console/index.html"]) {
      const response = await callConsole({}, path);
      expect([path, response.status, await response.json()]).toMatchObject([path, 404, { error: "not_found" }]);
    }
  });

  it("answers HEAD without a body, and 405 to other methods", async ({ expect }) => {
    const head = await callConsole({}, "/console", "HEAD");
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("Content-Security-Policy")).not.toBeNull();
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const response = await callConsole({}, "/console/", method);
      expect([method, response.status, response.headers.get("Allow")]).toEqual([method, 405, "GET"]);
    }
  });
});
