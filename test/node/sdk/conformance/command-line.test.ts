/** `npm run conformance` as a shell sees it, with `npm run terminal` and `npm run pos` as what is tested. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { addressProblem } from "../../../../src/sdk/conformance/listen.ts";
import { conformanceProgram, type KitOptions } from "../../../../src/sdk/command-line/conformance/options.ts";
import { optionsOf } from "../../../support/options-of.ts";
import { freePort } from "../../../support/free-port.ts";
import { Program } from "../../../support/program.ts";
import { ROOT } from "../../../support/outside.ts";

const KIT = join(ROOT, "src", "sdk", "command-line", "conformance.ts");
const TERMINAL = join(ROOT, "src", "sdk", "command-line", "terminal.ts");
const POS = join(ROOT, "src", "sdk", "command-line", "pos.ts");

/** Slow steps, which other tests run. */
const WITHOUT = [
  "heartbeat",
  "gives-up",
  "respond-by",
  "signs-anew",
  "retry-after",
  "firewall",
  "backs-off",
  "receipt",
  "replaced",
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "conformance-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function kit(...args: string[]): Program {
  return new Program([KIT, ...args], { cwd: ROOT, env: { PERSIST_TO: folder } });
}

async function freeAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

function envFile(kitName: string, url: string): string {
  return join(folder, "conformance", new URL(url).host.replace(":", "_"), `${kitName}.env`);
}

/** The values of a file of lines NAME='value'. */
function valuesOf(path: string): string[] {
  return [...readFileSync(path, "utf8").matchAll(/^(?:TERMINAL_SECRET|PASSWORD|SIGNING_KEY)='(.*)'$/gmu)].map(
    ([, value = ""]) => value,
  );
}

interface Report {
  kept: number;
  broken: number;
  blocked: number;
  leftOut: number;
  steps: {
    name: string;
    verdict: string;
    duty: string;
    expected?: string;
    seen?: string;
    harm: string;
    fix: string;
  }[];
}

function reportOf({ stdout, stderr }: Program): Report {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`not JSON: ${stdout}${stderr}`);
  }
}

describe.concurrent("npm run conformance", () => {
  it("passes npm run terminal, even with a kill in mid-payment", async ({ expect }) => {
    const url = await freeAddress();
    const lock = join(folder, "terminals", new URL(url).host.replace(":", "_"), "T-1.lock");
    const steps = spawnSync(process.execPath, [KIT, "terminal", "--list"], { encoding: "utf8" }).stdout;
    const names = [...steps.matchAll(/^([a-z0-9-]+) /gmu)].map(([, name = ""]) => name);
    const only = names.filter((name) => !WITHOUT.includes(name));
    const start = `exec "${process.execPath}" "${TERMINAL}" --id T-1 --url ${url} --data "${join(folder, "terminals")}"`;
    const flags = `--env "${envFile("terminal", url)}" --bind-key TEST-KEYS --pace 20`;
    const restart = join(folder, "restart.sh");
    writeFileSync(restart, `kill -9 "$(cat "${lock}")"\n${start} ${flags}\n`);
    const args = ["terminal", url, "--auto", "--json", "--only", only.join(","), "--restart-command", `sh ${restart}`];
    const program = kit(...args);
    await program.says("Waiting for the terminal");
    const environment = { PERSIST_TO: folder };
    const terminalArgs = ["--id", "T-1", "--url", url, "--data", join(folder, "terminals"), "--pace", "20"];
    const more = ["--env", envFile("terminal", url), "--bind-key", "TEST-KEYS"];
    const terminal = new Program([TERMINAL, ...terminalArgs, ...more], { cwd: ROOT, env: environment });
    try {
      const status = await program.end();
      const report = reportOf(program);
      expect(report.steps.filter(({ verdict }) => verdict !== "kept")).toEqual([]);
      expect(report.kept).toBe(only.length);
      expect(status).toBe(0);
      for (const secret of valuesOf(envFile("terminal", url))) expect(program.output).not.toContain(secret);
    } finally {
      await terminal.end("SIGKILL");
      // The one that the restart command has started.
      if (existsSync(lock)) process.kill(Number(readFileSync(lock, "utf8")), "SIGKILL");
    }
  });

  it("passes npm run pos, which it drives with a command", async ({ expect }) => {
    const drive = `"${process.execPath}" "${POS}" $ACTION $ARGUMENTS`;
    const url = await freeAddress();
    const program = kit("pos", url, "--json", "--drive", drive);
    const status = await program.end();
    const report = reportOf(program);
    const names = report.steps.filter(({ verdict }) => verdict !== "kept").map(({ name }) => name);
    expect(names, program.output).toEqual(["time-out", "crash"]);
    expect(status).toBe(0);
    const secrets = valuesOf(envFile("pos", url));
    expect(secrets).toHaveLength(2);
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
    const program = kit("pos", await freeAddress(), "--only", "sale", "--drive", "no-such-command-of-any-till");
    expect(await program.end()).toBe(1);
    expect(program.stdout).toMatch(/^ {4}seen .*its command does not exist/mu);
    expect(program.stdout).toMatch(/^ {4}fix .*--show-output/mu);
  });

  it.for([
    [["terminal", "http://127.0.0.1:9000", "--only", "dance"], "no step dance"],
    [["pos", "--auto"], "--drive COMMAND"],
    [["pos", "--env", "no-such-file", "--drive", "true"], "File not found: no-such-file"],
  ] as const)("exits with 5 for %j, and prints “%s”", async ([args, text], { expect }) => {
    const program = kit(...args);
    expect(await program.end()).toBe(5);
    expect(program.stderr).toContain(text);
  });

  it("explains that another program uses its address", async ({ expect }) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const program = kit("pos", `http://127.0.0.1:${port}`, "--drive", "true");
    expect(await program.end()).toBe(5);
    expect(program.stderr).toContain("another program listens there");
    await new Promise((resolve) => server.close(resolve));
  });

  it.for([["terminal"], ["pos", "--drive", "true"]])(
    "refuses an address of another machine in one sentence: %j",
    async ([kitName = "", ...flags], { expect }) => {
      // An address for documentation (RFC 5737), which no machine has.
      const program = kit(kitName, "http://192.0.2.1:9000", ...flags);
      expect(await program.end()).toBe(5);
      expect(program.stdout).toBe("");
      expect(program.stderr).toMatch(
        /^192\.0\.2\.1 is not an address of this machine: .*http:\/\/127\.0\.0\.1:9000.*\.\n$/u,
      );
    },
  );

  it("prints its usage with --help", async ({ expect }) => {
    const program = kit("--help");
    expect(await program.end()).toBe(0);
    expect(program.stdout).toContain("Exit status");
    const version = kit("--version");
    expect(await version.end()).toBe(0);
    expect(version.stdout).toMatch(/^payment-terminal-client \d+\.\d+\.\d+\n$/u);
  });
});

/** A till that keeps its sale in a file; `recovers` with what it does after a crash. */
function tillWith(recovers: string): string {
  const path = join(folder, `till-${crypto.randomUUID()}.ts`);
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
    console.log("The till does: " + ACTION);
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
      const flags = ["--drive", tillWith(recovers), "--only", "crash", "--json", "--show-output"];
      const program = kit("pos", await freeAddress(), ...flags);
      expect(await program.end(), program.output).toBe(status);
      const { steps }: Report = JSON.parse(program.stdout);
      expect(steps).toMatchObject([{ name: "crash", verdict }]);
      expect(program.stderr).toContain("The till does: sale\nThe till does: recover\n");
    },
  );

  it("is skipped for a POS without the action, whose output is hidden", async ({ expect }) => {
    const drive = 'if [ "$ACTION" = recover ]; then echo secret; exit 5; fi; ' + tillWith("null");
    const program = kit("pos", await freeAddress(), "--drive", drive, "--only", "sale,crash", "--json");
    expect(await program.end(), program.output).toBe(0);
    expect(JSON.parse(program.stdout)).toMatchObject({ kept: 1, leftOut: 1, broken: 0 });
    expect(program.stderr).not.toContain("secret");
  });
});

const kits = (run: (options: KitOptions) => Promise<number>) => conformanceProgram({ terminal: run, pos: run });

describe("the kit's arguments", () => {
  it.for([
    [["till"], "till"],
    [["pso"], "Did you mean pos?"],
    [["terminal"], "Pass the address"],
    [["terminal", "nowhere"], "nowhere is not a valid address"],
    [["terminal", "http://256.0.0.1:9000"], "not a valid address"],
    [["terminal", "ftp://127.0.0.1:9000"], "not a valid address"],
    [["terminal", "https://127.0.0.1:9000"], "--certificate and --key"],
    [["terminal", "http://127.0.0.1:9000", "twice"], "too many arguments"],
    [["terminal", "http://127.0.0.1:9000", "--auto", "--interactive"], "--interactive or --auto, not both"],
    [["terminal", "http://127.0.0.1:9000", "--secret", "x"], "--secret"],
    [["terminal", "http://127.0.0.1:9000", "--wait", "3"], "Use an amount"],
    [["terminal", "http://127.0.0.1:9000", "--bind-key", "short"], "Use eight"],
  ] as const)("are refused if %j: %s", async ([args, text], { expect }) => {
    await expect(optionsOf(kits, args)).rejects.toThrow(text);
  });

  it.for(["ENOTFOUND", "EAI_AGAIN", "EADDRNOTAVAIL"])(
    "explain a host that is not this machine: %s",
    (code, { expect }) => {
      const said = addressProblem(new URL("https://till.example/gateway"), code);
      expect(said).toMatch(
        /^till\.example is not an address of this machine: [^.]+ http:\/\/127\.0\.0\.1:443 or .*\.$/u,
      );
    },
  );

  it("accept a bind key in any form, and default to an address", async ({ expect }) => {
    const given = await optionsOf(kits, ["terminal", "http://127.0.0.1:9000", "--bind-key", "test-keyz"]);
    expect(given).toMatchObject({ bindKey: "TESTKEYZ" });
    expect(await optionsOf(kits, ["pos"])).toMatchObject({ address: { url: new URL("http://127.0.0.1:9001/") } });
  });
});
