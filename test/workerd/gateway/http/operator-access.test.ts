import { generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { readAccess } from "../../../../src/gateway/http/operator/access.ts";
import { AccessTeam, type Changes } from "../../../support/access-team.ts";
import { callWith } from "../../../support/environment.ts";
import { type Answer, BASE_URL, type ErrorBody, uniqueId } from "../../../support/gateway.ts";

const CHANNEL = { status: 1, currency: ["MYR"], logoUrl3: "https://logos.test/w.png" };
const TOKEN = "token-of-ben-that-is-long-enough";

let team: AccessTeam;

beforeEach(async () => {
  team = await AccessTeam.create();
  team.answerFetches();
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

interface Sent {
  headers?: Record<string, string>;
  body?: unknown;
  settings?: Partial<Record<keyof Env, unknown>>;
  token?: string;
  address?: string;
}

/** A call with an assertion, to the gateway behind the team. */
function sign<Body = ErrorBody>(
  assertion: string,
  method = "GET",
  path = "/operator/channels",
  { headers, settings, ...rest }: Sent = {},
): Promise<Answer<Body>> {
  return callWith<Body>({ ...team.settings, ...settings }, method, path, {
    ...rest,
    headers: { "Cf-Access-Jwt-Assertion": assertion, ...headers },
  });
}

async function statusOf(changes: Changes): Promise<number> {
  return (await sign(await team.assertion(changes))).status;
}

/** Who changed the channel, in the audit log. */
async function actorOf(name: string, assertion: string): Promise<string | undefined> {
  const { body } = await sign<{ data: { actor: string }[] }>(assertion, "GET", `/operator/audit?target=${name}`);
  return body.data[0]?.actor;
}

describe("an operator behind Cloudflare Access", () => {
  it("needs no token, and is named in the audit log", async ({ expect }) => {
    for (const [claims, name] of [
      [{ email: "anna@example.com" }, "anna@example.com"],
      [
        { email: "", common_name: "e367826f93b8d71185e03fe518aff3b4.access" },
        "e367826f93b8d71185e03fe518aff3b4.access",
      ],
    ] as const) {
      const assertion = await team.assertion({ claims });
      const channel = uniqueId("Wallet");
      const made = await sign(assertion, "PUT", `/operator/channels/${channel}`, { body: CHANNEL });
      expect([name, made.status, await actorOf(channel, assertion)]).toEqual([name, 201, name]);
    }
    expect(team.reads).toBe(1);
  });

  it("may also send a token, which then identifies the operator", async ({ expect }) => {
    const settings = { OPERATOR_TOKENS: `ben:${TOKEN}` };
    const assertion = await team.assertion();
    const channel = uniqueId("Wallet");
    await sign(assertion, "PUT", `/operator/channels/${channel}`, { body: CHANNEL, settings, token: TOKEN });
    expect(await actorOf(channel, assertion)).toBe("ben");
    expect((await sign(assertion, "GET", undefined, { settings, token: `${TOKEN}x` })).status).toBe(401);
  });

  it("gets 401 for an assertion that is not valid for this gateway", async ({ expect }) => {
    const other = await AccessTeam.create();
    const { privateKey } = await generateKeyPair("RS256");
    const now = Math.floor(Date.now() / 1000);
    const payload = { email: "eve@example.com", iss: team.team, aud: team.audience, exp: now + 60 };
    const signed = (alg: string, key: CryptoKey | Uint8Array, kid = "unknown") =>
      new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(key);
    const good = await team.assertion();
    const [head = "", body = "", signature = ""] = good.split(".");
    const others = {
      "signed by another team": await other.assertion(),
      "another team's, with this team's names": await other.assertion({
        claims: { iss: team.team, aud: team.audience },
      }),
      "an unknown key": await signed("RS256", privateKey),
      "without a signature": new UnsecuredJWT(payload).encode(),
      "a symmetric key": await signed("HS256", new TextEncoder().encode("x".repeat(32))),
      "a weaker algorithm": `${btoa(JSON.stringify({ alg: "RS1", kid: "x" }))}.${body}.${signature}`,
      "its signature changed": `${head}.${body}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
      "its signature left out": `${head}.${body}.`,
      "no token at all": "x",
      empty: "",
    };
    for (const [what, assertion] of Object.entries(others)) {
      const { status, body: answer, headers } = await sign(assertion);
      expect([what, status, answer.error]).toEqual([what, 401, "unauthorized"]);
      expect(headers.get("WWW-Authenticate")).toBe("Bearer");
    }
    expect((await sign(good)).status).toBe(200);
  });

  it("gets 401 for another application, another issuer or an expired assertion", async ({ expect }) => {
    for (const changes of [
      { claims: { aud: ["f".repeat(64)] } },
      { claims: { aud: [] } },
      { claims: { iss: "https://other.cloudflareaccess.com" } },
      { claims: { iss: `${team.team}/` } },
      { expiresIn: -10 },
      { expiresIn: null },
      { claims: { nbf: Math.floor(Date.now() / 1000) + 60 } },
    ]) {
      expect([changes, await statusOf(changes)]).toEqual([changes, 401]);
    }
    // Clocks differ by a little.
    vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / 1_000) * 1_000 });
    expect([await statusOf({ expiresIn: -4 }), await statusOf({ expiresIn: -5 })]).toEqual([200, 401]);
  });

  it("gets 401 if the assertion names nobody, or is ambiguous", async ({ expect }) => {
    for (const claims of [
      { email: "" },
      { email: "no address" },
      { email: "account:POS-1@example.com" },
      { email: "a\u0000@example.com" },
      { email: `${"a".repeat(200)}@example.com` },
      { common_name: "" },
      { email: "no address", common_name: "e367826f.access" },
      { common_name: "terminal:T-1" },
    ]) {
      expect([claims, await statusOf({ claims })]).toEqual([claims, 401]);
    }
  });

  it("gets 401 for an assertion that does not name its key", async ({ expect }) => {
    await team.rotate();
    expect([await statusOf({ header: { kid: undefined } }), await statusOf({})]).toEqual([401, 200]);
  });

  it("stays signed in with a known key while keys are unreadable", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    expect(await statusOf({})).toBe(200);
    team.broken = () => Promise.reject(new TypeError("unreachable"));
    // A stranger causes the read that fails.
    vi.setSystemTime(Date.now() + 30_000);
    expect(await statusOf({ header: { kid: "made-up" } })).toBe(500);
    expect(errors.mock.lastCall?.join()).toContain("access_keys_not_read");
    expect([team.reads, await statusOf({}), await statusOf({ header: { kid: "made-up" } })]).toEqual([2, 200, 500]);
    vi.setSystemTime(Date.now() + 600_000);
    expect([await statusOf({}), team.reads]).toEqual([200, 3]);
    team.broken = null;
    vi.setSystemTime(Date.now() + 30_000);
    expect([await statusOf({ header: { kid: "made-up" } }), await statusOf({})]).toEqual([401, 200]);
  });
});

describe("a page of another site, in the browser of an operator behind Cloudflare Access", () => {
  const POST = ["POST", "/operator/master-keys/reseal"] as const;

  it("cannot change or read anything with the operator's cookie", async ({ expect }) => {
    const assertion = await team.assertion();
    const json = { "Content-Type": "application/json" };
    const own = { ...json, Origin: BASE_URL, "Sec-Fetch-Site": "same-origin" };
    for (const headers of [
      { ...own, "Sec-Fetch-Site": "cross-site" },
      { ...own, "Sec-Fetch-Site": "same-site" },
      { ...own, Origin: "https://evil.test" },
      { ...own, Origin: "null" },
      { ...json, Origin: "https://evil.test" },
      { "Content-Type": "application/x-www-form-urlencoded" },
      { "Content-Type": "text/plain" },
      { "Content-Type": "text/plain; a=application/json" },
      {},
    ]) {
      const { status, body } = await sign(assertion, ...POST, { headers });
      expect([headers, status, body.error]).toEqual([headers, 403, "forbidden"]);
    }
    for (const method of ["GET", "PUT", "DELETE"]) {
      const headers = { ...own, "Sec-Fetch-Site": "cross-site" };
      expect((await sign(assertion, method, "/operator/channels/x", { headers })).status).toBe(403);
    }
    for (const headers of [own, json, { ...own, "Sec-Fetch-Site": "none" }]) {
      expect((await sign(assertion, ...POST, { headers })).status).toBe(200);
    }
  });

  it("can send requests with a token, which browsers never add", async ({ expect }) => {
    const settings = { OPERATOR_TOKENS: `ben:${TOKEN}` };
    const { status } = await sign(await team.assertion(), ...POST, { settings, token: TOKEN });
    expect(status).toBe(200);
  });

  it("cannot change or read anything from an origin in CORS_ORIGINS either", async ({ expect }) => {
    const Origin = "https://pos.test";
    const settings = { CORS_ORIGINS: Origin };
    const headers = { Origin, "Access-Control-Request-Method": "POST" };
    const preflight = await sign("", "OPTIONS", "/operator/channels", { headers, settings });
    expect(preflight.headers.get("Access-Control-Allow-Credentials")).toBeNull();
    const answer = await sign(await team.assertion(), ...POST, {
      headers: { Origin, "Content-Type": "application/json" },
      settings,
    });
    expect(answer.status).toBe(403);
  });
});

/** The roles of ACCESS_ROLES by group, or what is wrong with it. */
function rolesIn(ACCESS_ROLES: string): unknown {
  const access = readAccess({ ACCESS_TEAM: team.team, ACCESS_AUDIENCE: team.audience, ACCESS_ROLES }, false);
  return access.ok ? [...(access.value?.roles ?? [])] : access.error;
}

describe("the settings of Cloudflare Access", () => {
  it("are refused and logged if they are incomplete or unreadable", async ({ expect }) => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    const [good, tag] = [team.team, team.audience];
    for (const [ACCESS_TEAM, ACCESS_AUDIENCE, named] of [
      [good, "", "ACCESS_AUDIENCE is missing"],
      ["", tag, "ACCESS_TEAM is missing"],
      [undefined, tag, "ACCESS_TEAM is missing"],
      ["acme", tag, "ACCESS_TEAM must be"],
      ["http://acme.cloudflareaccess.com", tag, "ACCESS_TEAM must be"],
      [`${good}/`, tag, "ACCESS_TEAM must be"],
      ["https://acme.cloudflareaccess.com.evil.test", tag, "ACCESS_TEAM must be"],
      ["http://localhost:9999", tag, "ACCESS_TEAM must be"],
      [good, "my-application", "ACCESS_AUDIENCE must be"],
      [good, tag.toUpperCase(), "ACCESS_AUDIENCE must be"],
    ] as const) {
      const settings = { ACCESS_TEAM, ACCESS_AUDIENCE, OPERATOR_TOKENS: `ben:${TOKEN}` };
      const { status } = await sign("x", "GET", undefined, { settings, token: TOKEN });
      expect([ACCESS_TEAM, ACCESS_AUDIENCE, status]).toEqual([ACCESS_TEAM, ACCESS_AUDIENCE, 500]);
      expect(errors.mock.lastCall?.join()).toContain(named);
      expect((await callWith(settings, "GET", "/healthz")).status).toBe(200);
    }
  });

  it("give a group its highest role, and refuse unknown roles", ({ expect }) => {
    for (const text of [
      "viewer:group:a,admin:group:a, support : group: a",
      "admin:group:a,viewer:group:a",
      "support:group:a,admin:group:a,viewer:group:a",
    ]) {
      expect([text, rolesIn(text)]).toEqual([text, [["group:a", "admin"]]]);
    }
    expect(rolesIn("viewer:group:okta:staff,admin:email:Anna@Example.com")).toEqual([
      ["group:okta:staff", "viewer"],
      ["email:anna@example.com", "admin"],
    ]);
    for (const text of ["owner:group:b", "support:group:", "support", "support:b", "support:team:b"]) {
      expect(rolesIn(`viewer:group:a,${text}`)).toMatch(
        /^ACCESS_ROLES: Entry 2 must be one of role:group:NAME, role:email:NAME, .* viewer, support, admin\.$/u,
      );
    }
  });

  it("require an assertion on the operator's paths, without operator tokens", async ({ expect }) => {
    const answer = await callWith<ErrorBody>(team.settings, "GET", "/operator/channels");
    expect([answer.status, answer.body.error]).toEqual([401, "unauthorized"]);
    const off = { ...team.settings, ACCESS_TEAM: "", ACCESS_AUDIENCE: "" };
    const { status } = await sign(await team.assertion(), "GET", undefined, { settings: off });
    expect(status).toBe(404);
  });
});
