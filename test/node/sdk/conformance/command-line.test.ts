/** `npm run conformance` as a shell sees it, with `npm run terminal` as what is tested. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { addressProblem } from "../../../../src/sdk/conformance/listen.ts";
import { conformanceProgram, type KitFlags } from "../../../../src/sdk/command-line/conformance/options.ts";
import { optionsOf } from "../../../support/options-of.ts";
import { freePort } from "../../../support/free-port.ts";
import { Program } from "../../../support/program.ts";
import { ROOT } from "../../../support/outside.ts";

const KIT = join(ROOT, "src", "sdk", "command-line", "conformance.ts");
const TERMINAL = join(ROOT, "src", "sdk", "command-line", "terminal.ts");

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
  "clock-drifts",
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
    const charges = `grep -c "charge.*$TRANS_ID" "${lock.replace(/lock$/u, "ledger.jsonl")}"`;
    const commands = [
      "--restart-command",
      `sh ${restart}`,
      "--charges-command",
      charges,
      "--second-command",
      `${start} ${flags}`,
    ];
    const program = kit("terminal", url, "--auto", "--json", "--only", only.join(","), ...commands);
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

  it.for([
    [["terminal", "http://127.0.0.1:9000", "--only", "dance"], "no step dance"],
    [["pos", "--auto"], "--drive COMMAND"],
    [["pos", "--env", "no-such-file", "--drive", "true"], "File not found: no-such-file"],
    [["pos", "--url", "http://127.0.0.1:9", "--drive", "true"], "Start one with npm start, and leave it running."],
    [["pos", "--url", "http://127.0.0.1:9001", "--drive", "true"], "is the kit's own address"],
  ] as const)("ends with status 5 for %j and says “%s”", async ([args, text], { expect }) => {
    const program = kit(...args);
    expect(await program.end()).toBe(5);
    expect(program.stderr).toContain(text);
  });

  it("explains that another program uses its address", async ({ expect }) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const program = kit("terminal", `http://127.0.0.1:${port}`);
    expect(await program.end()).toBe(5);
    expect(program.stderr).toContain("another program listens there");
    await new Promise((resolve) => server.close(resolve));
  });

  it("refuses an address of another machine in one sentence", async ({ expect }) => {
    // An address for documentation (RFC 5737), which no machine has.
    const program = kit("terminal", "http://192.0.2.1:9000");
    expect(await program.end()).toBe(5);
    expect(program.stdout).toBe("");
    expect(program.stderr).toMatch(
      /^192\.0\.2\.1 is not an address of this machine: .*http:\/\/127\.0\.0\.1:9000.*\.\n$/u,
    );
  });

  it("prints its usage with --help", async ({ expect }) => {
    const program = kit("--help");
    expect(await program.end()).toBe(0);
    expect(program.stdout).toContain("Exit status");
    const version = kit("--version");
    expect(await version.end()).toBe(0);
    expect(version.stdout).toMatch(/^payment-terminal-client \d+\.\d+\.\d+\n$/u);
  });
});

const kits = (run: (options: KitFlags) => Promise<number>) => conformanceProgram({ terminal: run, pos: run });

describe("the kit's arguments", () => {
  it.for([
    [["POS"], "POS"],
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
      const said = addressProblem(new URL("https://pos.example/gateway"), code);
      expect(said).toMatch(
        /^pos\.example is not an address of this machine: [^.]+ http:\/\/127\.0\.0\.1:443 or .*\.$/u,
      );
    },
  );

  it("accept a bind key in any form, and default to an address", async ({ expect }) => {
    const given = await optionsOf(kits, ["terminal", "http://127.0.0.1:9000", "--bind-key", "test-keyz"]);
    expect(given).toMatchObject({ bindKey: "TESTKEYZ" });
    expect(await optionsOf(kits, ["pos"])).toMatchObject({ address: { url: new URL("http://127.0.0.1:9001/") } });
  });
});
