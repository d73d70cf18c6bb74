/** Whatever ends a run of tests, or `npm start`, no process of it stays. */
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "vitest";
import { CHROMIUM } from "../support/chromium-server.ts";
import { freePort } from "../support/free-port.ts";
import { ROOT } from "../support/outside.ts";

/** The command lines of all processes with `mark`, NAME=VALUE, in their environment, by process number. */
function processesWith(mark: string): Map<number, string> {
  return existsSync("/proc/self/environ") ? processesOfLinux(mark) : processesOfPs(mark);
}

function processesOfLinux(mark: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/u.test(name)) continue;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      if (environment.includes(mark)) found.set(Number(name), readFileSync(`/proc/${name}/cmdline`, "utf8"));
    } catch {
      // It has just ended, or is another user's.
    }
  }
  return found;
}

/** As macOS lists them, with their environment. */
function processesOfPs(mark: string): Map<number, string> {
  const lines = execFileSync("ps", ["-Aww", "-E", "-o", "pid=", "-o", "command="], { encoding: "utf8" }).split("\n");
  return new Map(lines.filter((line) => line.includes(` ${mark}`)).map((line) => [Number.parseInt(line, 10), line]));
}

/** Process numbers; a negative one is that of a process group. */
interface Run {
  npm: number;
  terminal: number;
  runner: number;
  task: number;
}

/** Starts the small run through npm, as a person does. Resolves when everything of it runs. */
async function started(folder: string, mark: string, port: number | null): Promise<Run> {
  const [name = "", value = ""] = mark.split("=");
  const runner = join(ROOT, "src", "development", "run.mjs");
  const task = join(ROOT, "test", "support", "run-to-be-killed.ts");
  const command = `node ${runner} with node ${task} ${folder} ${port ?? ""}`;
  await writeFile(join(folder, "package.json"), JSON.stringify({ scripts: { test: command } }));
  const env = { ...process.env, [name]: value };
  const npm = spawn("npm", ["test"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let problems = "";
  npm.stderr.on("data", (text) => (problems += text));
  for await (const line of createInterface(npm.stdout)) {
    const [, own, above] = /^ready (\d+) (\d+)$/u.exec(line) ?? [];
    const pid = Number(npm.pid);
    if (own !== undefined) return { npm: pid, terminal: -pid, runner: Number(above), task: Number(own) };
  }
  throw new Error(`The run did not start. ${problems}`);
}

describe.skipIf(process.platform === "win32")("a run", () => {
  it.for([
    ["npm", "SIGTERM", "with a gateway and a browser"],
    ["runner", "SIGKILL", "with a gateway and a browser"],
    // Ctrl-C, and a window that is closed. npm does not end on a SIGINT of its own.
    ["terminal", "SIGINT", "of small processes"],
    ["terminal", "SIGHUP", "of small processes"],
    ["npm", "SIGKILL", "of small processes"],
    ["task", "SIGKILL", "of small processes"],
  ] as const)("whose %s gets %s leaves no process: %s", async ([who, signal, kind], { expect }) => {
    const isWhole = kind === "with a gateway and a browser";
    const mark = `RUN_TO_BE_KILLED=${randomUUID()}`;
    const folder = await mkdtemp(join(tmpdir(), "killed-run-"));
    try {
      const run = await started(folder, mark, isWhole ? await freePort() : null);
      const commands = [...processesWith(mark).values()].join("\n");
      for (const part of ["npm", "with", "setInterval"]) expect(commands).toContain(part);
      if (isWhole) expect(commands).toContain("workerd");
      if (isWhole && CHROMIUM !== null) expect(commands).toContain("--remote-debugging-pipe");
      process.kill(run[who], signal);
      await expect.poll(() => [...processesWith(mark).values()]).toEqual([]);
    } finally {
      for (const pid of processesWith(mark).keys()) process.kill(pid, "SIGKILL");
      await rm(folder, { recursive: true, force: true });
    }
  });
});
