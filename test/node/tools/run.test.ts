/** What the scripts of package.json do on a fresh clone. */
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, it } from "vitest";
import { ROOT } from "../../support/outside.ts";
import { PATIENCE } from "../../support/patience.ts";

const RUN = join("src", "tools", "development", "run.mjs");

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "run-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function addPackage(path: string, manifest: object): Promise<void> {
  await mkdir(join(folder, path), { recursive: true });
  await writeFile(join(folder, path, "package.json"), JSON.stringify({ version: "1.0.0", ...manifest }));
}

/** A project with the real run.mjs, whose packages are folders beside it, so that npm needs no registry. */
async function makeProject(): Promise<void> {
  await cp(join(ROOT, RUN), join(folder, RUN));
  await writeFile(join(folder, "program.mjs"), "console.log(process.env.GREETING ?? 'no greeting', process.argv[2]);");
  await addPackage("parts/node", { name: "node" });
  await mkdir(join(folder, "parts", "node", "bin"));
  await symlink(process.execPath, join(folder, "parts", "node", "bin", "node"));
  await addPackage("parts/vitest", { name: "vitest" });
  await addPackage("tools", { name: "tools", devDependencies: { vitest: "file:../parts/vitest" } });
  await addPackage(".", { name: "project", workspaces: ["tools"], devDependencies: { node: "file:parts/node" } });
  const onlyLock = ["install", "--package-lock-only", "--offline", "--no-audit"];
  await promisify(execFile)("npm", onlyLock, { cwd: folder });
}

async function run(...words: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [join(folder, RUN), ...words], { cwd: folder })).stdout;
}

async function installed(): Promise<string[]> {
  const names = await readdir(join(folder, "node_modules"));
  return names.filter((name) => !name.startsWith(".")).toSorted();
}

describe("a script on a fresh clone", () => {
  it("installs what it needs, once, and reports that", async ({ expect }) => {
    await makeProject();
    const command = ["node", "program.mjs", "here"];
    expect(await run(...command)).toMatch(/^Installing packages with npm ci …\n(?:.*\n)*no greeting here\n$/u);
    expect(await installed()).toEqual(["node"]);
    expect(await run(...command)).toBe("no greeting here\n");
    expect(await run("--tests", "GREETING=hello", ...command)).toMatch(/^Installing [^\n]*\n(?:.*\n)*hello here\n$/u);
    expect(await installed()).toEqual(["node", "tools", "vitest"]);
    expect(await run("--tests", ...command)).toBe("no greeting here\n");
    const later = new Date(Date.now() + 60_000);
    await utimes(join(folder, "package-lock.json"), later, later);
    expect(await run(...command)).toMatch(/^Installing/u);
  });

  it("installs once if two run at the same time", async ({ expect }) => {
    await makeProject();
    const both = await Promise.all(["one", "two"].map((name) => run("node", "program.mjs", name)));
    expect(both.join("").match(/^Installing/gmu)).toHaveLength(1);
    expect(both[0]).toMatch(/no greeting one\n$/u);
    expect(both[1]).toMatch(/no greeting two\n$/u);
  });

  it("ends its command when npm's shell has ended", async ({ expect }) => {
    await makeProject();
    await run("node", "program.mjs", "here");
    const waits = "process.on('SIGTERM', () => process.exit()); setInterval(() => {}, 1000); console.log(process.pid);";
    await writeFile(join(folder, "waits.mjs"), waits);
    const command = `"${process.execPath}" "${join(folder, RUN)}" node waits.mjs; true`;
    const env = { ...process.env, npm_lifecycle_event: "start" };
    const shell = spawn("sh", ["-c", command], { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
    const [pid] = await once(shell.stdout, "data");
    const closed = once(shell.stdout, "end");
    shell.stdout.resume();
    shell.kill("SIGTERM");
    await closed; // by the last process that could write to it
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  });

  it("installs after an installation that was killed", async ({ expect }) => {
    await makeProject();
    const killed = spawnSync(process.execPath, ["-e", ""]).pid;
    await mkdir(join(folder, ".wrangler"));
    await writeFile(join(folder, ".wrangler", "installing"), String(killed));
    expect(await run("node", "program.mjs", "here")).toMatch(/^Installing.*\n(?:.*\n)*no greeting here\n$/mu);
  });

  it("shows its help without installing newer packages", async ({ expect }) => {
    await makeProject();
    await run("node", "program.mjs", "here");
    const later = new Date(Date.now() + 60_000);
    await utimes(join(folder, "package-lock.json"), later, later);
    expect(await run("node", "program.mjs", "--help")).toBe("no greeting --help\n");
  });

  it("ends with a command that is done but still awaits Ctrl-C", async ({ expect }) => {
    const program = `import { onEnd } from "./src/sdk/command-line/invocation.ts"; onEnd(() => {}); console.log("done");`;
    const words = [RUN, "node", "--input-type=module", "-e", program];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: ROOT, timeout: PATIENCE });
    expect(stdout).toBe("done\n");
  });

  it("ends with the status of its command", async ({ expect }) => {
    await makeProject();
    await expect(run("node", "-e", "process.exit(7)")).rejects.toMatchObject({ code: 7 });
  });
});
