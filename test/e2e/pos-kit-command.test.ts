/** `npm run conformance -- pos` as a shell sees it, with `npm run pos` and small programs as what is tested. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { ROOT } from "../support/outside.ts";
import { kitShop } from "../support/pos-kit.ts";
import { Program } from "../support/program.ts";

const KIT = join(ROOT, "src", "sdk", "command-line", "conformance.ts");
const POS = join(ROOT, "src", "sdk", "command-line", "pos.ts");

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "conformance-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function kitWith(env: Record<string, string>, ...args: string[]): Program {
  return new Program([KIT, ...args], { cwd: ROOT, env: { PERSIST_TO: folder, ...env } });
}

function kit(...args: string[]): Program {
  const { baseUrl, operatorToken } = inject("gateway");
  return kitWith({ GATEWAY_URL: baseUrl, OPERATOR_TOKEN: operatorToken }, ...args);
}

async function freeAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

function envFile(url: string): string {
  return join(folder, "conformance", new URL(url).host.replace(":", "_"), "pos.env");
}

/** The secrets in a file of lines NAME='value'. */
function valuesOf(path: string): string[] {
  const secret = /^(?:TERMINAL_SECRET|PASSWORD|SIGNING_KEY)='(.*)'$/gmu;
  return [...readFileSync(path, "utf8").matchAll(secret)].map(([, value = ""]) => value);
}

interface Report {
  steps: { name: string; verdict: string }[];
}

describe.concurrent("npm run conformance -- pos", () => {
  it("passes npm run pos, which it drives with a command", async ({ expect }) => {
    const drive = `"${process.execPath}" "${POS}" $ACTION $ARGUMENTS`;
    const url = await freeAddress();
    const program = kit("pos", url, "--json", "--drive", drive);
    const status = await program.end();
    const report: Report = JSON.parse(program.stdout);
    const names = report.steps.filter(({ verdict }) => verdict !== "kept").map(({ name }) => name);
    expect(names, program.output).toEqual(["time-out", "crash", "second-process", "request-texts"]);
    expect(status).toBe(0);
    const secrets = valuesOf(envFile(url));
    expect(secrets).toHaveLength(3);
    for (const secret of secrets) expect(program.output).not.toContain(secret);
  });

  it("reports a broken duty with expectation, observation, cost and fix", async ({ expect }) => {
    const program = kit("pos", await freeAddress(), "--only", "sale,urls", "--drive", "exit 0");
    expect(await program.end()).toBe(1);
    expect(program.stdout).toMatch(
      /^✗ Makes a sale \[sale\]\n {4}duty .+\n {4}expected .+\n {4}seen .+\n {4}the shop .+\n {4}fix .+$/mu,
    );
    expect(program.stdout).toContain("– Puts no token and no password into a URL: not tested: ");
    expect(program.stdout).toMatch(/0 kept, 1 broken, 1 not tested, 0 skipped\n$/u);
  });

  it("reports a command that cannot be run, with a remedy", async ({ expect }) => {
    const program = kit("pos", await freeAddress(), "--only", "sale", "--drive", "no-such-command-of-any-POS");
    expect(await program.end()).toBe(1);
    expect(program.stdout).toMatch(/^ {4}seen .*its command does not exist/mu);
    expect(program.stdout).toMatch(/^ {4}fix .*--show-output/mu);
  });

  it("keeps its account for the next run, or opens another one", async ({ expect }) => {
    const url = await freeAddress();
    const run = () => kit("pos", url, "--only", "sale", "--drive", `"${process.execPath}" "${POS}" $ACTION $ARGUMENTS`);
    const statuses = [await run().end()];
    const kept = readFileSync(envFile(url), "utf8");
    statuses.push(await run().end());
    expect(readFileSync(envFile(url), "utf8")).toBe(kept);
    writeFileSync(envFile(url), kept.replace(/PASSWORD='.*'/u, "PASSWORD='lost'"), { mode: 0o600 });
    statuses.push(await run().end());
    expect(readFileSync(envFile(url), "utf8")).not.toBe(kept);
    expect(statuses).toEqual([0, 0, 0]);
  });

  it("tests with the account that the caller names, without an operator's token", async ({ expect }) => {
    const { gateway, account, terminalSecret } = await kitShop();
    const env = {
      POS_ID: account.posId,
      MERCHANT_ID: account.merchantId,
      DEVICE_ID: account.deviceId,
      PASSWORD: account.password,
      SIGNING_KEY: account.signingKey,
    };
    const drive = `"${process.execPath}" "${POS}" $ACTION $ARGUMENTS`;
    const args = ["pos", await freeAddress(), "--url", gateway, "--only", "sale,void", "--drive", drive];
    const program = kitWith({ ...env, TERMINAL_SECRET: terminalSecret }, ...args);
    expect(await program.end(), program.output).toBe(0);
    const without = kitWith(env, ...args);
    expect(await without.end()).toBe(5);
    expect(without.stderr).toContain("TERMINAL_SECRET is missing.");
  });
});

/** A POS that keeps its sale in a file; `recovers` with what it does after a crash. */
function posWith(recovers: string): string {
  const path = join(folder, `POS-${crypto.randomUUID()}.ts`);
  writeFileSync(
    path,
    `import { readFileSync, writeFileSync } from "node:fs";
    import { PosClient, newReferenceId } from ${JSON.stringify(join(ROOT, "src", "sdk", "client", "pos.ts"))};
    const { ACTION, AMOUNT: transAmt, GATEWAY_URL: baseUrl, POS_ID: posId, MERCHANT_ID: merchantId } = process.env;
    const { DEVICE_ID: deviceId, SIGNING_KEY: signingKey } = process.env;
    const open = ${JSON.stringify(`${path}.json`)};
    const newSale = (amount) => ({ deviceId, referenceId: newReferenceId(), transAmt: amount, paymentMethod: "bankCard" });
    if (ACTION === "sale") writeFileSync(open, JSON.stringify(newSale(transAmt)));
    else if (ACTION !== "recover") process.exit(5);
    console.log("The POS does: " + ACTION);
    const sale = ACTION === "sale" ? JSON.parse(readFileSync(open)) : ${recovers};
    const { statusCode } = await new PosClient({ baseUrl, posId, merchantId, signingKey }).sale(sale);
    process.exit(statusCode === "00" ? 0 : 1);`,
  );
  return `"${process.execPath}" "${path}"`;
}

describe("the crash step", () => {
  it.for([
    ["asks about its open sale", "JSON.parse(readFileSync(open))", 0, "kept"],
    ["makes another one", 'newSale("1.00")', 1, "broken"],
  ] as const)(
    "kills the POS of --drive and starts it again: one that %s",
    async ([, recovers, status, verdict], { expect }) => {
      const flags = ["--drive", posWith(recovers), "--only", "crash", "--json", "--show-output"];
      const program = kit("pos", await freeAddress(), ...flags);
      expect(await program.end(), program.output).toBe(status);
      const { steps }: Report = JSON.parse(program.stdout);
      expect(steps).toMatchObject([{ name: "crash", verdict }]);
      expect(program.stderr).toContain("The POS does: sale\nThe POS does: recover\n");
    },
  );

  it("is skipped for a POS without the action, whose output is hidden", async ({ expect }) => {
    const drive = 'if [ "$ACTION" = recover ]; then echo secret; exit 5; fi; ' + posWith("null");
    const program = kit("pos", await freeAddress(), "--drive", drive, "--only", "sale,crash", "--json");
    expect(await program.end(), program.output).toBe(0);
    expect(JSON.parse(program.stdout)).toMatchObject({ kept: 1, leftOut: 1, broken: 0 });
    expect(program.stderr).not.toContain("secret");
  });
});
