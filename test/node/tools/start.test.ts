import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { checkKeys, lockFolder, noteKeys } from "../../../src/tools/development/data-folder.ts";
import { Documentation } from "../../../src/tools/development/documentation.ts";
import { makeDevVars, secretsProblem } from "../../../src/tools/development/secrets.ts";
import { operatorToken } from "../../../src/sdk/command-line/operator-client.ts";
import { readVars } from "../../../src/sdk/command-line/settings.ts";
import { startProgram } from "../../../src/tools/development/options.ts";
import { optionsOf } from "../../support/options-of.ts";

/** No process has this number: the most that Linux gives out is 4194304. */
const NO_PROCESS = 4_194_305;

const DEFAULTS = {
  once: false,
  bare: false,
  logs: false,
  port: 8787,
  persistTo: ".wrangler/state",
  vars: {},
};

describe("the arguments of npm start", () => {
  it.for([
    ["nothing", [], {}, {}],
    ["--once", ["--once"], {}, { once: true }],
    ["--bare", ["--bare"], {}, { bare: true }],
    ["--logs", ["--logs"], {}, { logs: true }],
    ["port and folder", [], { PORT: "9000", PERSIST_TO: "/data" }, { port: 9000, persistTo: "/data" }],
    ["variables", ["--var", "A:1:2", "--once", "--var=B:"], {}, { once: true, vars: { A: "1:2", B: "" } }],
  ] as const)("are understood: %s", async ([, args, environment, expected], { expect }) => {
    expect(await optionsOf((run) => startProgram(run, environment), args)).toEqual({ ...DEFAULTS, ...expected });
  });

  it.for([
    [["--once", "--bare"], {}],
    [["--inspector-port=9229"], {}],
    [["--var", "REQUEST_SECONDS"], {}],
    [[], { PORT: "http" }],
    [[], { PORT: "70000" }],
  ] as const)("are refused: %j %j", async ([args, environment], { expect }) => {
    const refused = optionsOf((run) => startProgram(run, environment), args);
    await expect(refused).rejects.toThrow(/cannot be used|unknown option|Use NAME:VALUE|PORT must be/u);
  });
});

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "start-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("the lock of a data folder", () => {
  it("names the process and port of its gateway, and a remedy", async ({ expect }) => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    await writeFile(join(folder, "start.lock"), `${other.pid}\n8787`);
    const refused = await lockFolder(folder, 9_000);
    other.kill("SIGKILL");
    expect(refused).toMatchObject({ ok: false });
    const said = refused.ok ? "" : refused.error;
    expect(said).toContain(`Process ${other.pid} already runs a gateway on the data folder ${folder}, on port 8787.`);
    expect(said).toContain("PORT=8788 PERSIST_TO=.wrangler/second npm start");
    expect(await readFile(join(folder, "start.lock"), "utf8")).toBe(`${other.pid}\n8787`);
  });

  it("keeps out even the same process, and is free once released", async ({ expect }) => {
    const first = await lockFolder(folder, 9_000);
    expect(await lockFolder(folder, 9_001)).toMatchObject({ ok: false });
    if (first.ok) first.value();
    const second = await lockFolder(folder, 9_001);
    expect(second.ok).toBe(true);
    if (second.ok) second.value();
    expect(existsSync(join(folder, "start.lock"))).toBe(false);
  });

  it.for([
    ["a process that is gone", `${NO_PROCESS}\n1`],
    ["an earlier process with this one's number, as in a container", `${process.pid}\n1`],
    ["nobody, as the file is empty", ""],
  ])("is taken over from %s", async ([, left = ""], { expect }) => {
    await writeFile(join(folder, "start.lock"), left);
    const taken = await lockFolder(folder, 9_000);
    expect(taken.ok).toBe(true);
    expect(await readFile(join(folder, "start.lock"), "utf8")).toBe(`${process.pid}\n9000`);
    if (taken.ok) taken.value();
  });

  it("is not taken over while an orphaned gateway still listens", async ({ expect }) => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    // The assertion: a server on a port has no other kind of address
    const { port } = server.address() as AddressInfo;
    await writeFile(join(folder, "start.lock"), `${NO_PROCESS}\n${port}`);
    const refused = await lockFolder(folder, 9_000);
    server.close();
    expect(refused.ok ? "" : refused.error).toContain(`still listens on its port ${port}`);
  });

  it("is taken by exactly one of many processes that try at once", async ({ expect }) => {
    await writeFile(join(folder, "start.lock"), `${NO_PROCESS}\n1`);
    const lockFile = new URL("../../../src/sdk/command-line/lock-file.ts", import.meta.url).href;
    const program = `import { takeLock } from ${JSON.stringify(lockFile)};
      console.log(takeLock(process.argv[1]).ok); process.stdin.resume();`;
    const args = ["--input-type=module", "-e", program, join(folder, "start.lock")];
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }),
    );
    // Each holds what it has taken until all have tried.
    const said = await Promise.all(children.map(async ({ stdout }) => String((await once(stdout, "data"))[0]).trim()));
    const ends = children.map((child) => once(child, "close"));
    for (const { stdin } of children) stdin.end();
    await Promise.all(ends);
    expect(said.toSorted()).toEqual(["false", "false", "false", "false", "false", "true"]);
  });
});

/** A state folder that a gateway has run on. */
async function withData(): Promise<string> {
  await mkdir(join(folder, "state", "v3", "d1"), { recursive: true });
  return join(folder, "state");
}

describe("the keys of a data folder", () => {
  it("may be made while there is no data", async ({ expect }) => {
    expect(await checkKeys(join(folder, ".dev.vars"), join(folder, "state"))).toBeNull();
  });

  it("are reported missing if data exists, with file name and remedy", async ({ expect }) => {
    const [devVars, state] = [join(folder, ".dev.vars"), await withData()];
    const said = await checkKeys(devVars, state);
    expect(said).toContain(`The file ${devVars} is missing`);
    expect(said).toContain(`Restore ${devVars} from a backup, or delete the data and start over: rm -r "${state}"`);
    await writeFile(devVars, 'OPERATOR_TOKENS="mine:token"\n', { mode: 0o600 });
    expect(await checkKeys(devVars, state)).toContain(`${devVars} has no MASTER_KEYS`);
  });

  it("are distinguished from newer keys, without writing keys to the notes", async ({ expect }) => {
    const [devVars, other, state] = [join(folder, ".dev.vars"), join(folder, "other"), await withData()];
    await makeDevVars(devVars);
    await makeDevVars(other);
    expect(await checkKeys(devVars, state)).toBeNull();
    await noteKeys(devVars, state);
    expect(await checkKeys(devVars, state)).toBeNull();
    expect(await checkKeys(other, state)).toContain(`The MASTER_KEYS in ${other} are not those`);
    const key = (await readVars(devVars)).get("MASTER_KEYS")?.split(":")[1] ?? "";
    const noted = await readFile(join(state, "master-keys.json"), "utf8");
    expect(key).not.toBe("");
    expect(noted).not.toContain(key);
    expect(noted).not.toContain(Buffer.from(key, "base64").toString("hex"));
  });

  it("may be rotated", async ({ expect }) => {
    const [devVars, state] = [join(folder, ".dev.vars"), await withData()];
    await makeDevVars(devVars);
    await noteKeys(devVars, state);
    const old = (await readVars(devVars)).get("MASTER_KEYS");
    await writeFile(devVars, `MASTER_KEYS="dev-2:${Buffer.alloc(32, 7).toString("base64")},${old}"\n`, { mode: 0o600 });
    expect(await checkKeys(devVars, state)).toBeNull();
  });

  it("are named in the message if they cannot be read", async ({ expect }) => {
    const [devVars, state] = [join(folder, ".dev.vars"), await withData()];
    await writeFile(devVars, 'MASTER_KEYS="dev-1:short"\n', { mode: 0o600 });
    expect(await checkKeys(devVars, state)).toMatch(/MASTER_KEYS: Key 1 must be/u);
  });
});

describe("the documentation of npm start", () => {
  it.for(["/docs/errors", "/docs/%zz", "//"])("answers %s before it is built", async (path, { expect }) => {
    const documentation = await Documentation.open(folder);
    try {
      const response = await fetch(documentation.origin + path);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain("The documentation is being built");
    } finally {
      await documentation.close();
    }
  });
});

describe("secrets for development", () => {
  it("are random, created once, and readable only by their owner", async ({ expect }) => {
    const path = join(folder, ".dev.vars");
    await makeDevVars(path);
    const first = await readVars(path);
    expect(first.get("MASTER_KEYS")).toMatch(/^dev-1:[A-Za-z0-9+/]{43}=$/u);
    expect(await operatorToken(path)).toMatch(/^[\w-]{43}$/u);
    await makeDevVars(path);
    expect(await readVars(path)).toEqual(first);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("are refused in sentences without secrets if the gateway cannot use them", async ({ expect }) => {
    const path = join(folder, ".dev.vars");
    await makeDevVars(path);
    expect(await secretsProblem(path)).toBeNull();
    const long = "token-of-the-right-length";
    for (const [tokens, problem] of [
      ["mine:short", "Token 1 must have at least 24 characters."],
      [`mine:${long},mine:another-${long}`, "Entries 1 and 2 have the same name."],
      [`mine:${long},yours:${long}`, "Entries 1 and 2 have the same token."],
    ]) {
      await writeFile(path, `MASTER_KEYS="dev-1:AAAA"\nOPERATOR_TOKENS="${tokens}"\n`, { mode: 0o600 });
      const said = await secretsProblem(path);
      expect(said).toContain(`${path}: MASTER_KEYS: Key 1 must be 32 bytes (base64). OPERATOR_TOKENS: ${problem}`);
      expect(said).not.toMatch(/AAAA|short|of-the-right-length/u);
    }
  });
});
