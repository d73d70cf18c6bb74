/** Query parameters that a call does not know, or gets twice. That every route refuses them: authentication-matrix. */
import { describe, it } from "vitest";
import { callWith } from "../../../support/environment.ts";
import {
  accessToken,
  call,
  createAccount,
  enrolTerminal,
  type ErrorBody,
  login,
  operator,
} from "../../../support/gateway.ts";

type Problems = ErrorBody["details"];

async function problemsOf(path: string): Promise<Problems> {
  const { status, body } = await operator<ErrorBody>("GET", path);
  return status === 400 ? body.details : undefined;
}

const UNKNOWN_IN_NONE = "Unknown query parameter. This call has no query parameters.";
const UNKNOWN_IN_LIST = "Unknown query parameter. Use: cursor, limit, posId, name, merchantId, status.";

function failOnUse(): never {
  throw new Error("The database was asked.");
}

describe("an unknown query parameter", () => {
  it("is refused with the parameters that the call accepts", async ({ expect }) => {
    expect(await problemsOf("/operator/accounts?connected=false")).toEqual([{ path: "", message: UNKNOWN_IN_LIST }]);
    expect(await problemsOf("/operator/channels?limit=5")).toEqual([{ path: "", message: UNKNOWN_IN_NONE }]);
  });

  it("is refused together with everything else that is wrong with the query", async ({ expect }) => {
    expect(await problemsOf("/operator/accounts?Limit=5&limit=0&state")).toEqual([
      { path: "limit", message: "Send a number from 1 to 100." },
      { path: "", message: UNKNOWN_IN_LIST },
    ]);
  });

  it("is refused under any name, which the answer does not repeat", async ({ expect }) => {
    const many = Array.from({ length: 200 }, (_, index) => `p${index}=1`).join("&");
    const names = ["__proto__=1", "constructor", "%zz=1", "a%20b=1", "cursor[]=x", "4111111111111111=1"];
    for (const query of [...names, `${"x".repeat(2_000)}=1`, many]) {
      expect(await problemsOf(`/operator/accounts?${query}`)).toEqual([{ path: "", message: UNKNOWN_IN_LIST }]);
    }
  });
});

describe("a read of the interface itself", () => {
  it("ignores an unknown query parameter", async ({ expect }) => {
    const token = await accessToken(await createAccount());
    const prebind = "/api/prebind-terminals";
    for (const path of ["/api/bind-terminal-key", prebind, "/api/terminals", "/api/ewallet-channels?currency=MYR"]) {
      const { status } = await call("GET", `${path}${path.includes("?") ? "&" : "?"}_=123&cache=false`, { token });
      expect([path, status]).toEqual([path, 200]);
    }
    expect((await call("POST", `${prebind}?_=123`, { token, body: { uniqueIds: [] } })).status).toBe(400);
  });
});

describe("a query parameter that is sent twice", () => {
  it("gets a 400 that names it", async ({ expect }) => {
    for (const [path, name] of [
      ["/operator/accounts?limit=1&limit=2", "limit"],
      ["/operator/audit?cursor=5-1&cursor=5-1", "cursor"],
      ["/operator/statistics?by=day&by=hour", "by"],
      ["/operator/pending?limit=1&limit=2", "limit"],
    ] as const) {
      expect(await problemsOf(path)).toEqual([
        { path: name, message: "This query parameter is repeated. Send it once." },
      ]);
    }
    const token = await accessToken(await createAccount());
    for (const path of [
      "/api/ewallet-channels?currency=MYR&currency=SGD",
      "/api/bind-terminal-key?option=a&option=b",
      "/api/events?after=0&after=0",
    ]) {
      const { status, body } = await call<ErrorBody>("GET", path, { token });
      expect([status, body.details?.map(({ message }) => message)]).toEqual([
        400,
        ["This query parameter is repeated. Send it once."],
      ]);
    }
  });
});

describe("a call that is refused for its query", () => {
  it("changes nothing", async ({ expect }) => {
    const account = await createAccount();
    const { terminalId } = await enrolTerminal();
    for (const [method, path] of [
      ["DELETE", `/operator/accounts/${account.posId}?force=1`],
      ["POST", `/operator/accounts/${account.posId}/password?password=x`],
      ["POST", `/operator/accounts/${account.posId}/signing-key?revokePrevious=true`],
      ["DELETE", `/operator/terminals/${terminalId}?force=1`],
    ] as const) {
      expect((await operator(method, path)).status).toBe(400);
    }
    expect((await operator("GET", `/operator/accounts/${account.posId}`)).body["status"]).toBe("active");
    expect((await operator("GET", `/operator/terminals/${terminalId}`)).body["status"]).toBe("enrolled");
    const tokens = await login(account);
    expect((await call("POST", "/auth/refresh?now", { token: tokens.refresh.token })).status).toBe(400);
    expect((await call("POST", "/auth/logout?all=1", { token: tokens.access.token })).status).toBe(400);
    expect((await call("POST", "/auth/refresh", { token: tokens.refresh.token })).status).toBe(200);
    expect((await call("GET", "/api/terminals", { token: tokens.access.token })).status).toBe(200);
  });

  it("is refused for its query before anything else is read", async ({ expect }) => {
    const answer = await callWith<ErrorBody>({ DATABASE: { prepare: failOnUse } }, "POST", "/auth/login?x=1", {
      body: "no JSON",
    });
    expect(answer.body.details?.map(({ message }) => message)).toEqual([UNKNOWN_IN_NONE]);
    const unknown = await operator<ErrorBody>("PATCH", "/operator/accounts/nobody?x=1", { status: "nonsense" });
    expect(unknown.body.details?.map(({ message }) => message)).toEqual([UNKNOWN_IN_NONE]);
  });
});
