import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { addressIn } from "../../../../src/tools/development/wrangler.ts";
import { configurationFor, parseNames } from "../../../../src/tools/development/wrangler.ts";
import { deployProgram } from "../../../../src/tools/deploy/options.ts";
import { optionsOf } from "../../../support/options-of.ts";
import { type Circumstances, type Deployed, plan } from "../../../../src/tools/deploy/plan.ts";
import { makeSecrets, tokenIn } from "../../../../src/tools/development/secrets.ts";
import { readMasterKeys } from "../../../../src/gateway/secrets/master-keys.ts";
import { ROOT } from "../../../support/outside.ts";

const NOTHING: Deployed = { account: "Example", secrets: null, database: false, accounts: 0 };
const ALL: Deployed = { ...NOTHING, secrets: ["MASTER_KEYS", "OPERATOR_TOKENS"], database: true, accounts: 2 };
const CIRCUMSTANCES: Circumstances = {
  required: ["MASTER_KEYS", "OPERATOR_TOKENS"],
  canShowSecrets: true,
  isPlatformBuild: false,
  hasToken: false,
  trial: false,
};

describe("the plan of a deploy", () => {
  it.for<[string, Deployed, Partial<Circumstances>, string[]]>([
    ["nothing is there", NOTHING, {}, ["secrets", "upload", "migrate", "health", "trial"]],
    ["all is there and in use", ALL, {}, ["migrate", "upload", "health"]],
    ["a sale is asked for", ALL, { trial: true, hasToken: true }, ["migrate", "upload", "health", "trial"]],
    ["nobody uses it yet", { ...ALL, accounts: 0 }, { hasToken: true }, ["migrate", "upload", "health", "trial"]],
    ["no token is known", { ...ALL, accounts: 0 }, {}, ["migrate", "upload", "health"]],
    ["a secret is missing", { ...ALL, secrets: ["MASTER_KEYS"] }, {}, ["secrets", "migrate", "upload", "health"]],
    [
      "the platform deploys after a form",
      NOTHING,
      { isPlatformBuild: true, canShowSecrets: false },
      ["upload", "migrate", "health"],
    ],
  ])("has these steps if %s", ([, found, circumstances, steps], { expect }) => {
    const planned = plan(found, { ...CIRCUMSTANCES, ...circumstances });
    expect(planned.steps.map(({ kind }) => kind)).toEqual(steps);
  });

  it("makes only the secrets that are missing", ({ expect }) => {
    const planned = plan({ ...ALL, secrets: ["MASTER_KEYS"] }, CIRCUMSTANCES);
    expect(planned).toMatchObject({ missing: ["OPERATOR_TOKENS"], steps: [{ kind: "secrets" }, {}, {}, {}] });
  });

  it.for<[string, Deployed, Partial<Circumstances>, RegExp]>([
    ["new keys would lock out the accounts that there are", { ...ALL, secrets: [] }, {}, /has 2 accounts/u],
    ["new secrets would end up in a log", NOTHING, { canShowSecrets: false }, /--secrets-to FILE/u],
    ["a sale is asked for and no token is known", ALL, { trial: true }, /OPERATOR_TOKEN/u],
  ])("is refused with a way out if %s", ([, found, circumstances, words], { expect }) => {
    expect(() => plan(found, { ...CIRCUMSTANCES, ...circumstances })).toThrow(words);
  });
});

describe("the address of a deploy", () => {
  it.for([
    ["the platform's own", ["https://a.b.workers.dev", "schedule: 17 19 * * *"], "https://a.b.workers.dev"],
    [
      "a custom domain first",
      ["https://a.b.workers.dev", "pay.example.com (custom domain)"],
      "https://pay.example.com",
    ],
    [
      "a custom domain in a zone",
      ["pay.example.com (custom domain - zone name: example.com)"],
      "https://pay.example.com",
    ],
    ["none of a pattern", ["example.com/pay/* (zone name: example.com)"], null],
  ] as const)("is %s", ([, targets, address], { expect }) => {
    const lines = [
      { type: "wrangler-session", targets: ["https://wrong.example"] },
      { type: "deploy", targets },
    ];
    expect(addressIn(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`)).toBe(address);
  });
});

describe("the arguments of a deploy", () => {
  it("choose the environment, the trial, the address and the secrets' file", async ({ expect }) => {
    const none = { dryRun: false, env: null, trial: false, url: null, operator: "operator", secretsTo: null };
    expect(await optionsOf(deployProgram, [])).toEqual(none);
    const args = [
      "--dry-run",
      "--env",
      "staging",
      "--trial",
      "--url",
      "https://pay.example.com/",
      "--operator",
      "alice",
      "--secrets-to",
      "x",
    ];
    const all = {
      dryRun: true,
      env: "staging",
      trial: true,
      url: "https://pay.example.com",
      operator: "alice",
      secretsTo: "x",
    };
    expect(await optionsOf(deployProgram, args)).toEqual(all);
  });

  it.for([["--operator", "a:b"], ["--env", "../x"], ["--url", "pay"], ["--force"], ["now"]])(
    "are refused: %j",
    async (args, { expect }) => {
      await expect(optionsOf(deployProgram, args)).rejects.toThrow(args[0] === "now" ? "too many arguments" : args[0]);
    },
  );

  it("use the names in wrangler.toml, which holds nobody's database id", ({ expect }) => {
    const configuration = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
    expect(parseNames(configuration)).toEqual({
      ok: true,
      value: {
        worker: "payment-terminal-gateway",
        database: "payment-terminal-gateway",
        account: null,
        secrets: ["MASTER_KEYS", "OPERATOR_TOKENS"],
      },
    });
    expect(configuration).not.toMatch(/^database_id/mu);
    expect(parseNames('name = "x"\n')).toMatchObject({ ok: false });
  });

  it("have their own database and rate limits for another gateway", ({ expect }) => {
    const configuration = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
    const made = configurationFor("staging", configuration);
    if (!made.ok) throw new Error(made.error);
    expect(parseNames(made.value)).toMatchObject({
      value: { worker: "payment-terminal-gateway-staging", database: "payment-terminal-gateway-staging" },
    });
    const own = [...`${made.value}${configuration}`.matchAll(/namespace_id = "(\d+)"/gu)].map(([, id]) => id);
    expect(own.length).toBeGreaterThan(10);
    expect(new Set(own).size).toBe(own.length);
    const routed = `${configuration}\nroutes = [{ pattern = "pay.example.com", custom_domain = true }]\n`;
    expect(configurationFor("staging", routed)).toMatchObject({ error: expect.stringContaining("names a route") });
  });
});

describe("new secrets", () => {
  it("are valid for the gateway, and differ each time", ({ expect }) => {
    const names = ["MASTER_KEYS", "OPERATOR_TOKENS"];
    const [one, other] = [
      makeSecrets(names, { kid: "k1", operator: "alice" }),
      makeSecrets(names, { kid: "k1", operator: "alice" }),
    ];
    if (!one.ok || !other.ok) throw new Error("none were made");
    expect(readMasterKeys(one.value["MASTER_KEYS"]).ok).toBe(true);
    expect(one.value["OPERATOR_TOKENS"]).toMatch(/^alice:[\w-]{43}$/u);
    expect(`alice:${tokenIn(one.value)}`).toBe(one.value["OPERATOR_TOKENS"]);
    for (const name of names) expect(one.value[name]).not.toBe(other.value[name]);
  });

  it("are not generated if only a person can have them", ({ expect }) => {
    expect(makeSecrets(["ACCESS_AUDIENCE"], { kid: "k1", operator: "alice" })).toEqual({
      ok: false,
      error: expect.stringContaining("npx wrangler secret put ACCESS_AUDIENCE"),
    });
  });
});
