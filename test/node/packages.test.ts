/** What `npm start` and `npm test` install, and what they show meanwhile. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { ROOT } from "../support/outside.ts";

const DEVELOPMENT = join("src", "development");

interface Output {
  isTTY: boolean;
  write: (text: string) => unknown;
}

/** Plain JavaScript, which has no types. */
const { showProgress } = (await import(join(ROOT, DEVELOPMENT, "packages.mjs"))) as {
  showProgress: (places: string[], output: Output) => (isDone: boolean) => void;
};

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "packages-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Writes a package into the project's folder. */
async function add(path: string, manifest: object): Promise<void> {
  await mkdir(join(folder, path), { recursive: true });
  await writeFile(join(folder, path, "package.json"), JSON.stringify({ version: "1.0.0", ...manifest }));
}

/** A project with the real run.mjs, whose packages are folders beside it, so that npm needs no registry. */
async function project(): Promise<void> {
  const scripts = (await readdir(join(ROOT, DEVELOPMENT))).filter((name) => /\.(?:mjs|sh)$/u.test(name));
  for (const name of scripts) await cp(join(ROOT, DEVELOPMENT, name), join(folder, DEVELOPMENT, name));
  await writeFile(join(folder, DEVELOPMENT, "start.ts"), 'console.log("It runs.");');
  await add("parts/node", { name: "node" });
  await mkdir(join(folder, "parts", "node", "bin"));
  await symlink(process.execPath, join(folder, "parts", "node", "bin", "node"));
  await add("parts/server", { name: "server" });
  await add("parts/checker", { name: "checker" });
  await add("tools", { name: "tools", devDependencies: { checker: "file:../parts/checker" } });
  const devDependencies = { node: "file:parts/node", server: "file:parts/server" };
  await add(".", { name: "project", workspaces: ["tools"], devDependencies });
  const onlyLock = ["install", "--package-lock-only", "--offline", "--no-audit"];
  await promisify(execFile)("npm", onlyLock, { cwd: folder });
}

async function runs(task: string): Promise<string> {
  const args = [join(folder, DEVELOPMENT, "run.mjs"), task];
  return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
}

async function installed(): Promise<string[]> {
  const names = await readdir(join(folder, "node_modules"));
  return names.filter((name) => !name.startsWith(".")).toSorted();
}

describe("a task on a fresh clone", () => {
  it("installs what package.json names; one that tests adds the rest to it; and both only once", async ({ expect }) => {
    await project();
    const first = await runs("start");
    expect(first).toMatch(
      /^Installing packages: 0 of 2 \(0 s\)\n(.*\n)*Installed 2 packages in \d+ s\.\nIt runs\.\n$/u,
    );
    expect(await installed()).toEqual(["node", "server"]);

    await writeFile(join(folder, "node_modules", ".was-here"), "");
    expect(await runs("tools")).toMatch(
      /^Installing packages: 0 of 2 \(0 s\)\n(.*\n)*Installed 2 packages in \d+ s\.\n$/u,
    );
    expect(await installed()).toEqual(["checker", "node", "server", "tools"]);
    // `npm ci` would have removed it.
    expect(await readdir(join(folder, "node_modules"))).toContain(".was-here");

    expect(await runs("tools")).toBe("");
    expect(await runs("start")).toBe("It runs.\n");
  });
});

/** The progress of two packages that do not come. */
function shown(isTTY: boolean): { said: string[]; stop: (isDone: boolean) => void } {
  const said: string[] = [];
  return { said, stop: showProgress(["one", "other"], { isTTY, write: (text) => said.push(text) }) };
}

function lineAfter(seconds: number): string {
  return `Installing packages: 0 of 2 (${seconds} s)`;
}

describe("the progress of an installation", () => {
  it("is a line that changes every second on a terminal, and gives way to the result", ({ expect }) => {
    vi.useFakeTimers();
    const { said, stop } = shown(true);
    vi.advanceTimersByTime(2_000);
    stop(true);
    vi.advanceTimersByTime(10_000);
    vi.useRealTimers();
    const lines = [0, 1, 2].map((seconds) => `\r${lineAfter(seconds)}`);
    expect(said).toEqual([...lines, "\r\u001B[K", "Installed 2 packages in 2 s.\n"]);
  });

  it("is a line now and then elsewhere, without control characters; a failure adds none", ({ expect }) => {
    vi.useFakeTimers();
    const { said, stop } = shown(false);
    vi.advanceTimersByTime(25_000);
    stop(false);
    vi.useRealTimers();
    expect(said).toEqual([0, 10, 20].map((seconds) => `${lineAfter(seconds)}\n`));
  });
});
