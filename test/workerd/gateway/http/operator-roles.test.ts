/** What each role of an operator may do, at every call. */
import { afterEach, describe, it, vi } from "vitest";
import { gatewayRoutes, openApi } from "../../../../src/gateway/http/openapi/openapi.ts";
import { mayDo, OPERATOR_ROLES, type OperatorRole } from "../../../../src/protocol/operator-roles.ts";
import { AccessTeam } from "../../../support/access-team.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { callWith } from "../../../support/environment.ts";
import { operator } from "../../../support/gateway.ts";
import { Scene, useAccount } from "../../../support/scene.ts";

const token = (name: string): string => `${name}-`.repeat(8);
const OPERATOR_TOKENS = [
  `vera:viewer:${token("vera")}`,
  `sam:support:${token("sam")}`,
  `tom:support:${token("tom")}`,
  `ada:${token("ada")}`,
].join(",");
const NAMES: Record<OperatorRole, string> = { viewer: "vera", support: "sam", admin: "ada" };

function resolve(name: string, path: string, statusCode: string) {
  return send(name, "POST", path, { statusCode, reason: `${name} has looked.` }, { RESOLVE_NEEDS_TWO: "on" });
}

const ROUTES = gatewayRoutes()
  .filter(({ template }) => template.startsWith("/operator/") && !template.includes("/console/"))
  .map(({ method, template, facts: { role } }) => ({ route: `${method} ${template}`, role }));

function send(name: string, method: string, path: string, body?: object, settings: object = {}) {
  return callWith<{ message: string; role?: string }>({ OPERATOR_TOKENS, ...settings }, method, path, {
    token: token(name),
    ...(body === undefined ? {} : { body }),
  });
}

describe("an operator's call", () => {
  it("needs a role, as the contract names it", ({ expect }) => {
    const { paths } = openApi();
    expect(ROUTES.length).toBeGreaterThan(25);
    for (const { route, role } of ROUTES) {
      const [method = "", path = ""] = route.split(" ");
      const said = paths[path]?.[method.toLowerCase() as "get"]?.description;
      expect([route, said]).toEqual([route, expect.stringContaining(`Needs the role \`${role}\`.`)]);
      expect([route, role === "viewer"]).toEqual([route, method === "GET"]);
    }
  });

  it("is refused before anything else for every lower role", async ({ expect }) => {
    for (const { route, role: needed = "admin" } of ROUTES) {
      const [method = "", path = ""] = route.split(" ");
      for (const role of OPERATOR_ROLES.filter((one) => !mayDo(one, needed))) {
        const { status, body } = await send(NAMES[role], method, `${path.replaceAll(/\{\w+\}/gu, "none")}?x=1`);
        expect([route, status, body.message]).toEqual([
          route,
          403,
          expect.stringContaining(`needs the role ${needed}`),
        ]);
      }
    }
    expect((await send("sam", "POST", "/operator/accounts/NOBODY/password")).status).toBe(404);
    expect((await send("ada", "DELETE", "/operator/accounts/NOBODY")).status).toBe(404);
  });

  it("lets support suspend an account, and change nothing else of it", async ({ expect }) => {
    const here = await Scene.alone();
    const path = `/operator/accounts/${here.pos.account.posId}`;
    const renamed = await send("sam", "PATCH", path, { status: "suspended", name: "Mine" });
    expect([renamed.status, renamed.body.message]).toEqual([403, expect.stringContaining("To change name you need")]);
    expect((await send("sam", "PATCH", path, { status: "suspended" })).body).toMatchObject({ status: "suspended" });
    expect((await send("sam", "PATCH", path, { status: "active" })).body).toMatchObject({ status: "active" });
    expect((await send("sam", "POST", `/operator/terminals/${here.terminal.terminalId}/secret`)).status).toBe(200);
  });

  it("is judged by the role of a token, which the page gets", async ({ expect }) => {
    for (const [role, name] of Object.entries(NAMES)) {
      const { body } = await send(name, "GET", "/operator/console/session.json", undefined, { OPERATOR_CONSOLE: "on" });
      expect(body).toMatchObject({ operator: name, role });
    }
  });

  it("fails if a token's role does not exist, for every operator", async ({ expect }) => {
    const settings = { OPERATOR_TOKENS: `${OPERATOR_TOKENS},eve:owner:${token("eve")}` };
    expect((await send("ada", "GET", "/operator/channels", undefined, settings)).status).toBe(500);
  });
});

describe("an operator behind Cloudflare Access", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("has the highest of its roles, and is refused without one", async ({ expect }) => {
    const team = await AccessTeam.create();
    team.answerFetches();
    const settings = {
      ...team.settings,
      OPERATOR_CONSOLE: "on",
      ACCESS_ROLES:
        "viewer:group:staff, support:group:desk,admin:email:Ops@example.com,viewer:client:prometheus.access," +
        "viewer:email:ops@example.com",
    };
    const asked = async (claims: Record<string, unknown>, roles = settings.ACCESS_ROLES) => {
      const headers = { "Cf-Access-Jwt-Assertion": await team.assertion({ claims }) };
      const path = "/operator/console/session.json";
      const { status, body } = await callWith({ ...settings, ACCESS_ROLES: roles }, "GET", path, { headers });
      return body["role"] ?? status;
    };
    expect(await asked({ email: "anna@example.com", custom: { groups: ["staff", "desk"] } })).toBe("support");
    expect(await asked({ email: "ben@example.com", groups: ["staff"] })).toBe("viewer");
    expect(await asked({ email: "ops@example.com" })).toBe("admin");
    expect(await asked({ email: "OPS@example.com" })).toBe("admin");
    expect(await asked({ common_name: "prometheus.access" })).toBe("viewer");
    expect(await asked({ email: "eve@example.com", custom: "staff" })).toBe(403);
    expect(await asked({ email: "eve@example.com" }, "")).toBe("admin");
    expect(await asked({ email: "anna@example.com" }, "owner:group:staff")).toBe(500);
  });
});

describe("a role of ACCESS_ROLES", () => {
  it("belongs to one kind of bearer: group, client or address", async ({ expect }) => {
    const team = await AccessTeam.create();
    team.answerFetches();
    const ACCESS_ROLES = "admin:email:ops@example.com,admin:client:deploy.access,admin:group:admins";
    const asked = async (claims: Record<string, unknown>) => {
      const headers = { "Cf-Access-Jwt-Assertion": await team.assertion({ claims }) };
      return (await callWith({ ...team.settings, ACCESS_ROLES }, "GET", "/operator/channels", { headers })).status;
    };
    for (const group of ["ops@example.com", "deploy.access", "email:ops@example.com"]) {
      expect(await asked({ email: "eve@example.com", groups: [group], custom: { groups: [group] } })).toBe(403);
    }
    for (const common_name of ["admins", "ops@example.com"]) expect(await asked({ email: "", common_name })).toBe(403);
    expect(await asked({ email: "eve@example.com", groups: ["admins"] })).toBe(200);
  });
});

describe("a payment that two operators must resolve", () => {
  useFakeClock();
  const scene = useAccount();

  async function pending(): Promise<{ here: Scene; path: string }> {
    const here = await scene();
    const device = await here.connect();
    const body = here.pos.saleBody();
    const answer = here.pos.transfer(body);
    const { requestId } = await device.nextRequest();
    await here.pass(200_000);
    await answer;
    return { here, path: `/operator/terminals/${here.terminal.terminalId}/transactions/${requestId}/resolve` };
  }

  it("is resolved by a second who agrees, and by nobody alone", async ({ expect }) => {
    const { here, path } = await pending();
    expect((await resolve("sam", path, "11")).status).toBe(202);
    expect((await resolve("sam", path, "11")).status).toBe(202);
    expect((await resolve("tom", path, "00")).status).toBe(202);
    // Sam has changed his mind: nobody says 11 any more.
    expect((await resolve("sam", path, "00")).body).toMatchObject({ outcome: { statusCode: "00" } });
    expect((await resolve("tom", path, "00")).status).toBe(409);
    const target = `/operator/audit?target=${here.terminal.terminalId}`;
    const { body } = await operator<{ data: { actor: string; action: string; details: object }[] }>("GET", target);
    const said = body.data.filter(({ action }) => action.startsWith("transaction."));
    expect(said.map(({ actor }) => actor)).toEqual(["sam", "tom", "sam", "sam"]);
    const requestId = Number(/\d{10}/u.exec(path)?.[0]);
    expect(said[1]?.details).toEqual({ requestId, statusCode: "00", reason: "tom has looked." });
  });

  it("is not resolved by one person with two names", async ({ expect }) => {
    const { path } = await pending();
    const team = await AccessTeam.create();
    team.answerFetches();
    const asPerson = async (email: string) => {
      const headers = { "Cf-Access-Jwt-Assertion": await team.assertion({ claims: { email } }) };
      const body = { statusCode: "11", reason: "It has looked." };
      const settings = { ...team.settings, RESOLVE_NEEDS_TWO: "on" };
      return (await callWith(settings, "POST", path, { headers, body })).status;
    };
    expect((await resolve("sam", path, "11")).status).toBe(202);
    for (const email of ["sam@example.com", "SAM@example.com", "Sam+desk@example.com"]) {
      expect([email, await asPerson(email)]).toEqual([email, 202]);
    }
    expect(await asPerson("anna@example.com")).toBe(200);
  });

  it("is not resolved by a withdrawn or an hour-old proposal", async ({ expect }) => {
    const { here, path } = await pending();
    expect((await resolve("sam", path, "11")).status).toBe(202);
    await here.pass(1);
    expect((await resolve("sam", path, "00")).status).toBe(202);
    expect((await resolve("tom", path, "11")).status).toBe(202);
    await here.pass(3_600_001);
    expect((await resolve("sam", path, "11")).status).toBe(202);
    expect((await resolve("sam", path.replace(/\d{10}/u, "9999999999"), "11")).status).toBe(404);
  });
});
