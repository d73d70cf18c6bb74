import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { app } from "../../../../src/gateway/http/app.ts";
import { AccessTeam } from "../../../support/access-team.ts";
import { BASE_URL, call, type ErrorBody } from "../../../support/gateway.ts";
import { PAGE_HEADERS } from "../../../support/page-headers.ts";

const PAGE = "<!doctype html><title>Operator</title>";

const ASSETS = {
  fetch: (request: Request) =>
    new URL(request.url).pathname === "/operator/console/"
      ? new Response(PAGE, { headers: { "Content-Type": "text/html" } })
      : new Response(null, { status: 404 }),
};

async function callPage(
  path: string,
  changes: Partial<Record<keyof Env, unknown>> = {},
  init: RequestInit = {},
): Promise<Response> {
  const settings: Partial<Record<keyof Env, unknown>> = { OPERATOR_CONSOLE: "on", ASSETS, ...changes };
  return app.fetch(new Request(BASE_URL + path, init), { ...env, ...settings }, createExecutionContext());
}

/** The signed-in user, as the page sees it. */
async function session(settings: Partial<Record<keyof Env, unknown>>, assertion?: string) {
  const headers: Record<string, string> = assertion === undefined ? {} : { "Cf-Access-Jwt-Assertion": assertion };
  const response = await callPage("/operator/console/session.json", settings, { headers });
  return [response.status, await response.json<{ operator?: string | null }>()] as const;
}

afterEach(() => vi.unstubAllGlobals());

describe("the operator's page, switched off", () => {
  it("answers in the same words as any path that does not exist", async ({ expect }) => {
    const nowhere = await call<ErrorBody>("GET", "/nowhere");
    for (const OPERATOR_CONSOLE of ["off", "", "ON", "1", undefined]) {
      for (const path of ["/operator/console", "/operator/console/main.js", "/operator/console/session.json"]) {
        for (const method of ["GET", "POST"]) {
          const response = await callPage(path, { OPERATOR_CONSOLE }, { method });
          const body = await response.json<ErrorBody>();
          expect([path, response.status, body.message]).toEqual([path, 404, nowhere.body.message]);
          expect(response.headers.get("Content-Security-Policy")).toBeNull();
        }
      }
    }
  });
});

describe("the operator's page, switched on", () => {
  it("runs only its own files and calls only its own service", async ({ expect }) => {
    for (const path of ["/operator/console", "/operator/console/", "/operator/console/?v=1"]) {
      const response = await callPage(path);
      expect([path, response.status, await response.text()]).toEqual([path, 200, PAGE]);
      const policy = (response.headers.get("Content-Security-Policy") ?? "").split("; ");
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "connect-src 'self'",
          "frame-ancestors 'none'",
          "trusted-types 'none'",
        ]),
      );
      expect(Object.fromEntries(response.headers)).toMatchObject(PAGE_HEADERS);
    }
  });

  it("answers 404 to missing files and 405 to changing methods", async ({ expect }) => {
    expect((await callPage("/operator/console/nothing.js")).status).toBe(404);
    const response = await callPage("/operator/console", {}, { method: "POST" });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET"]);
  });

  it("does not replace the operator's calls, which still need a token", async ({ expect }) => {
    expect((await callPage("/operator/channels")).status).toBe(401);
  });

  it("shows whom Cloudflare Access has signed in, or asks for a token", async ({ expect }) => {
    const team = await AccessTeam.create();
    team.answerFetches();
    const assertion = await team.assertion();
    expect(await session(team.settings, assertion)).toEqual([
      200,
      { operator: "anna@example.com", role: "admin", console: false },
    ]);
    expect(await session(team.settings, "x")).toEqual([200, { operator: null, role: null, console: false }]);
    expect(await session(team.settings)).toEqual([200, { operator: null, role: null, console: false }]);
    expect(await session({})).toEqual([200, { operator: null, role: null, console: false }]);
    expect(await session({ OPERATOR_TOKENS: "" })).toEqual([200, { operator: null, role: null, console: false }]);
    expect(await session({ CONSOLE: "on" })).toEqual([200, { operator: null, role: null, console: true }]);
    expect(await session({}, assertion)).toEqual([200, { operator: null, role: null, console: false }]);
    vi.spyOn(console, "error").mockImplementation(() => {});
    expect((await session({ ...team.settings, ACCESS_AUDIENCE: "" }, assertion))[0]).toBe(500);
  });
});
