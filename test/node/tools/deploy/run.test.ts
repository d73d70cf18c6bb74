/** Whole deploys, with a stand-in for wrangler. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import type { DeployOptions } from "../../../../src/tools/deploy/options.ts";
import { type World, runDeploy, waitForHealth } from "../../../../src/tools/deploy/run.ts";
import { CommandError } from "../../../../src/sdk/command-line/operator-client.ts";
import { type Ran, type RunOptions, type Wrangler, wranglerIn } from "../../../../src/tools/development/wrangler.ts";
import { type Result, err, ok } from "../../../../src/protocol/result.ts";
import { PATIENCE } from "../../../support/patience.ts";

const MIGRATIONS = 3;

/**
 * Stands in for wrangler and for all of Cloudflare behind it: it keeps what was made, records every call, and answers in
 * wrangler's words. Any call can fail, before or after it has done what it was asked for.
 */
class StandInWrangler {
  readonly calls: { args: string[]; input: string }[] = [];
  loggedIn = true;
  cloudflareAccounts = [{ id: "a1", name: "Example" }];
  /** The secrets of the Worker; null: there is none. */
  secrets: Record<string, string> | null = null;
  /** How many migrations the database has taken; null: there is none. */
  database: number | null = null;
  /** How often the code was uploaded. */
  uploads = 0;
  targets = ["https://payment-terminal-gateway.example.workers.dev"];
  /** How many accounts of POS programs there are, without trials. */
  accounts = 0;
  /** The call that fails, counted from 0, and when. */
  failure: { call: number; when: "before" | "after" } | null = null;

  readonly wrangler: Wrangler = async (args, options = {}) => {
    const number = this.calls.push({ args, input: options.input ?? "" }) - 1;
    const fails = this.failure?.call === number ? this.failure.when : null;
    if (fails === "before") return failed("The network is gone.");
    const ran = await this.#run(args, options);
    return fails === "after" ? failed("The answer was lost.") : ran;
  };

  /** What there is, in one value. */
  get state(): object {
    const { secrets, database } = this;
    return { secrets: secrets === null ? null : Object.keys(secrets), database };
  }

  /** The commands so far, without their flags. */
  get commands(): string[] {
    return this.calls.map(({ args }) => args.filter((arg) => /^[a-z0-9]+$/u.test(arg)).join(" "));
  }

  async #run(args: string[], { input = "", env = {} }: RunOptions): Promise<Ran> {
    switch (args.filter((arg) => /^[a-z0-9]+$/u.test(arg)).join(" ")) {
      case "whoami":
        return this.loggedIn ? printed({ loggedIn: true, accounts: this.cloudflareAccounts }) : failed("{}");
      case "secret list json":
        if (this.cloudflareAccounts.length > 1) return failed(`More than one account available.\n  \`x\`: \`a2\``);
        if (this.secrets === null) return failed('Worker "payment-terminal-gateway" not found.');
        return printed(Object.keys(this.secrets).map((name) => ({ name, type: "secret_text" })));
      case "secret bulk":
        this.secrets = { ...this.secrets, ...(JSON.parse(input) as Record<string, string>) };
        return printed("");
      case "d1 list":
        return printed(this.database === null ? [] : [{ name: "payment-terminal-gateway" }]);
      case "d1 execute":
        if (this.database === 0) return failed("no such table: accounts: SQLITE_ERROR");
        return printed([{ results: [{ accounts: this.accounts }] }]);
      case "d1 migrations apply":
        if (this.database === null) return failed("Couldn't find a D1 DB named 'payment-terminal-gateway'");
        this.database = MIGRATIONS;
        return printed("");
      case "deploy":
        return this.#deploy(env["WRANGLER_OUTPUT_FILE_PATH"]);
      default:
        return failed(`Unknown arguments: ${args.join(" ")}`);
    }
  }

  async #deploy(output = ""): Promise<Ran> {
    const missing = ["MASTER_KEYS", "OPERATOR_TOKENS"].filter((name) => this.secrets?.[name] === undefined);
    if (missing.length > 0) return failed(`The following required secrets have not been set: ${missing.join(", ")}`);
    this.database ??= 0;
    this.uploads += 1;
    const entries = [{ type: "wrangler-session" }, { type: "deploy", targets: this.targets }];
    await appendFile(output, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    return printed("");
  }
}

function printed(value: unknown): Ran {
  const text = JSON.stringify(value);
  return { status: 0, stdout: text, output: text };
}

function failed(text: string): Ran {
  return { status: 1, stdout: "", output: text };
}

const WORKER = "payment-terminal-gateway";
const NAMES = { worker: WORKER, database: WORKER, account: null, secrets: ["MASTER_KEYS", "OPERATOR_TOKENS"] };
const OPTIONS: DeployOptions = {
  dryRun: false,
  env: null,
  trial: false,
  url: null,
  operator: "alice",
  secretsTo: null,
};
const COMPLETE = { secrets: NAMES.secrets, database: 3 };

let cloudflare: StandInWrangler;
let said: string;
let trials: string[];
let folder: string;

beforeEach(async () => {
  [cloudflare, said, trials] = [new StandInWrangler(), "", []];
  folder = await mkdtemp(join(tmpdir(), "deploy-test-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function deploy(options: Partial<DeployOptions> = {}, world: Partial<World> = {}): Promise<Result<void, string>> {
  const done = runDeploy({ ...OPTIONS, ...options }, NAMES, {
    wrangler: cloudflare.wrangler,
    say: (text) => (said += `${text}\n`),
    isTerminal: true,
    environment: {},
    health: async () => null,
    trial: async (_, token) => {
      trials.push(token);
      return ok({ transId: "1000000000", took: 5 });
    },
    ...world,
  });
  return done.then(
    () => ok(undefined),
    (error: unknown) => (error instanceof CommandError ? err(error.message) : Promise.reject(error)),
  );
}

const LOOKS = ["whoami", "secret list json", "d1 list"];

describe("a first deploy", () => {
  it("creates what is missing in order, and sells with its new token", async ({ expect }) => {
    expect(await deploy()).toEqual(ok(undefined));
    expect(cloudflare.commands).toEqual([...LOOKS, "secret bulk", "deploy", "d1 migrations apply"]);
    expect(cloudflare.state).toEqual(COMPLETE);
    expect(trials.map((token) => `alice:${token}`)).toEqual([cloudflare.secrets?.["OPERATOR_TOKENS"]]);
    expect(said).toContain("The gateway answers at https://payment-terminal-gateway.example.workers.dev");
    expect(said).toContain("Approved, transaction 1000000000");
  });

  it("passes secrets through standard input only, and shows them once", async ({ expect }) => {
    await deploy();
    const values = Object.values(cloudflare.secrets ?? {});
    expect(values.length).toBe(2);
    const args = cloudflare.calls.flatMap((call) => call.args).join(" ");
    for (const value of values) {
      expect(args).not.toContain(value);
      expect(said.split(value).length - 1).toBe(1);
    }
  });

  it("writes secrets to a file if output may be logged, never overwriting", async ({ expect }) => {
    const path = join(folder, "secrets.env");
    expect(await deploy({ secretsTo: path }, { isTerminal: false })).toEqual(ok(undefined));
    const text = await readFile(path, "utf8");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    for (const value of Object.values(cloudflare.secrets ?? {})) {
      expect(text).toContain(value);
      expect(said).not.toContain(value);
    }
    cloudflare = new StandInWrangler();
    await writeFile(path, "the last copy of other keys");
    expect(await deploy({ secretsTo: path })).toMatchObject({ ok: false, error: expect.stringContaining(path) });
    expect(await readFile(path, "utf8")).toBe("the last copy of other keys");
    expect(cloudflare.state).toEqual({ secrets: null, database: null });
  });

  it("changes nothing if output may be logged and no file is named", async ({ expect }) => {
    expect(await deploy({}, { isTerminal: false })).toMatchObject({ ok: false });
    expect(cloudflare.commands).toEqual(LOOKS);
  });

  it.for([
    ["nobody is logged in", { loggedIn: false }, "npx wrangler login"],
    ["the login has two accounts", { cloudflareAccounts: [1, 2].map((n) => ({ id: `a${n}`, name: "x" })) }, "`a2`"],
  ] as const)("explains what to do if %s", async ([, state, words], { expect }) => {
    Object.assign(cloudflare, state);
    expect(await deploy()).toMatchObject({ ok: false, error: expect.stringContaining(words) });
    expect(LOOKS).toEqual(expect.arrayContaining(cloudflare.commands));
  });

  it("asks for the address if wrangler names none, and uses it", async ({ expect }) => {
    cloudflare.targets = ["example.com/pay/*"];
    expect(await deploy()).toMatchObject({ ok: false, error: expect.stringContaining("--url URL") });
    expect(await deploy({ url: "https://example.com" })).toEqual(ok(undefined));
    expect(said).toContain("The gateway answers at https://example.com");
  });
});

describe("a second deploy", () => {
  it("changes nothing that exists, and tries no sale", async ({ expect }) => {
    await deploy();
    const secrets = cloudflare.secrets;
    [cloudflare.accounts, said, trials] = [1, "", []];
    cloudflare.calls.length = 0;
    expect(await deploy({}, { isTerminal: false })).toEqual(ok(undefined));
    expect(cloudflare.commands).toEqual([...LOOKS, "d1 execute", "d1 migrations apply", "deploy"]);
    expect(cloudflare.secrets).toBe(secrets);
    expect(trials).toEqual([]);
    expect(said).toContain("An update. Existing data is kept.");
  });

  it("sells if that is asked for, with the token from the environment", async ({ expect }) => {
    await deploy();
    [cloudflare.accounts, trials] = [1, []];
    const environment = { OPERATOR_TOKEN: "from the environment" };
    expect(await deploy({ trial: true }, { environment })).toEqual(ok(undefined));
    expect(trials).toEqual(["from the environment"]);
  });
});

describe("a dry run", () => {
  it("prints the plan, and changes nothing", async ({ expect }) => {
    expect(await deploy({ dryRun: true }, { isTerminal: false })).toEqual(ok(undefined));
    expect(cloudflare.commands).toEqual(LOOKS);
    expect(said).toContain("1. Create and set MASTER_KEYS and OPERATOR_TOKENS.");
    expect(said).toContain("5. Make a test sale");
  });

  it("needs no login: it plans a first deploy, and names the gaps", async ({ expect }) => {
    cloudflare.loggedIn = false;
    expect(await deploy({ dryRun: true })).toEqual(ok(undefined));
    expect(said).toContain("could not be looked up");
    expect(said).toContain("npx wrangler login");
    expect(said).toContain("1. Create and set MASTER_KEYS and OPERATOR_TOKENS.");
    expect(await deploy()).toMatchObject({ ok: false });
  });
});

describe("a deploy that fails", () => {
  /** As many as a first deploy makes, and as an update does. */
  const CALLS = 6;

  it.for(
    Array.from({ length: CALLS }, (_, call) => (["before", "after"] as const).map((when) => ({ call, when }))).flat(),
  )("can be run again after a failed call of wrangler: %j", async (failure, { expect }) => {
    cloudflare.failure = failure;
    expect(await deploy()).toMatchObject({ ok: false });
    const { secrets } = cloudflare;
    cloudflare.failure = null;
    expect(await deploy()).toEqual(ok(undefined));
    expect(cloudflare.state).toEqual(COMPLETE);
    // Secrets that were set are never set again: someone has stored them.
    if (secrets !== null) expect(cloudflare.secrets).toBe(secrets);
    // Every secret in use was shown.
    for (const value of Object.values(cloudflare.secrets ?? {})) expect(said).toContain(value);
  });

  it.for(
    Array.from({ length: CALLS }, (_, call) => (["before", "after"] as const).map((when) => ({ call, when }))).flat(),
  )("can be run again after a failed update, having changed nothing: %j", async (failure, { expect }) => {
    await deploy();
    const { secrets } = cloudflare;
    [cloudflare.accounts, trials] = [1, []];
    cloudflare.calls.length = 0;
    cloudflare.failure = failure;
    expect(await deploy({}, { isTerminal: false })).toMatchObject({ ok: false });
    expect([cloudflare.state, cloudflare.secrets]).toEqual([COMPLETE, secrets]);
    cloudflare.failure = null;
    expect(await deploy({}, { isTerminal: false })).toEqual(ok(undefined));
    expect([cloudflare.state, cloudflare.secrets, trials]).toEqual([COMPLETE, secrets, []]);
  });

  it("sets the secrets from its file after failing at them", async ({ expect }) => {
    const secretsTo = join(folder, "secrets.env");
    cloudflare.failure = { call: 3, when: "before" };
    expect(await deploy({ secretsTo })).toMatchObject({ ok: false });
    cloudflare.failure = null;
    expect(await deploy({ secretsTo })).toEqual(ok(undefined));
    const text = await readFile(secretsTo, "utf8");
    for (const value of Object.values(cloudflare.secrets ?? {})) expect(text).toContain(`"${value}"`);
  });

  it.for(["health", "trial"] as const)("can be run again after failing at its %s", async (step, { expect }) => {
    const broken = {
      health: async () => "No answer.",
      trial: async () => ({ ok: false, error: "Declined." }) as const,
    };
    expect(await deploy({}, { [step]: broken[step] })).toMatchObject({ ok: false });
    const { secrets } = cloudflare;
    const environment = { OPERATOR_TOKEN: "kept" };
    expect(await deploy({}, { environment })).toEqual(ok(undefined));
    expect(cloudflare.secrets).toBe(secrets);
    expect(trials).toEqual(["kept"]);
  });

  it("is tested for each of its calls", async ({ expect }) => {
    await deploy();
    expect(cloudflare.calls.length).toBe(CALLS);
    [cloudflare.accounts, cloudflare.calls.length] = [1, 0];
    await deploy();
    expect(cloudflare.calls.length).toBe(CALLS);
  });
});

describe("a command of wrangler", () => {
  it("gets its input and folder, and returns its status and output", async ({ expect }) => {
    const script = join(folder, "script.mjs");
    const lines = [
      'let text = ""; for await (const part of process.stdin) text += part;',
      "console.log([text, process.cwd(), process.env.EXTRA, ...process.argv.slice(2)].join());",
      'console.error("said"); process.exitCode = 3;',
    ];
    await writeFile(script, lines.join("\n"));
    const ran = await wranglerIn(folder, [script])(["a", "b"], { input: "in", env: { EXTRA: "x" } });
    expect(ran).toMatchObject({ status: 3, stdout: `in,${folder},x,a,b\n` });
    expect(ran.output).toContain("said");
  });
});

describe("the wait for a gateway", () => {
  it("asks again after an answer that broke off", async ({ expect }) => {
    let calls = 0;
    const server = createServer((_, response) => {
      response.writeHead(200, { "Content-Length": 100 });
      if (++calls === 1) response.write("{", () => response.destroy());
      else response.end('{"status":"ok"}'.padEnd(100));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    expect(await waitForHealth(`http://127.0.0.1:${port}`, PATIENCE, 0)).toBeNull();
    server.close();
    expect(calls).toBe(2);
  });
});
