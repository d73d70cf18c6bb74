/** Child processes of a task. Plain JavaScript without packages: see run.mjs. */
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

const running = new Set();
let areTogether = false;

/**
 * Runs in the project's folder.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ collect?: boolean, ipc?: boolean, env?: NodeJS.ProcessEnv }} options `collect`: the output is kept, not
 *   shown
 * @returns {Promise<{ status: number, text: string }>} the exit status, and the output if it is collected
 */
export function run(command, args, { collect = false, ipc = false, env = process.env } = {}) {
  return new Promise((resolve) => {
    const output = collect ? "pipe" : "inherit";
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["inherit", output, output, ...(ipc ? ["ipc"] : [])],
      env,
      // npm and the programs of packages are batch files on Windows.
      shell: process.platform === "win32" && !isAbsolute(command),
    });
    running.add(child);
    let text = "";
    child.stdout?.on("data", (data) => (text += data));
    child.stderr?.on("data", (data) => (text += data));
    child.on("error", (error) => resolve({ status: 1, text: error.message }));
    child.on("close", (status) => {
      running.delete(child);
      resolve({ status: status ?? 1, text });
    });
  });
}

/** An environment variable of all processes of a run. */
const MARK = "GATEWAY_RUN";

/**
 * From now on, all descendants of this process end when it ends, even after a SIGKILL, which nothing here can handle: a
 * separate shell waits for that.
 */
export function endTogether() {
  areTogether = true;
  const mark = `${MARK}=${randomUUID()}`;
  const { [MARK]: _outer, ...env } = process.env;
  // A session of its own: no Ctrl-C reaches it.
  const shell = spawn("sh", [join(root, "src", "development", "end-run.sh")], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env,
  });
  // Windows has no `sh`.
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  shell.stdin.write(`${mark}\n`);
  shell.unref();
  shell.stdin.unref();
  process.env[MARK] = mark.slice(MARK.length + 1);
}

/** Milliseconds to clean up after a signal; a gateway takes five seconds. */
const END_WITHIN = 7_000;

/** Ctrl-C in a terminal has already reached the children; a second signal does no harm. */
function passOn(signal) {
  for (const child of running) child.kill(signal);
  if (areTogether) setTimeout(() => process.exit(1), END_WITHIN).unref();
}

/** Without this, Ctrl-C would end this process before its children have cleaned up. */
export function passSignalsOn() {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => passOn(signal));
  const parent = process.ppid;
  const npm = npmAbove(parent);
  const watch = setInterval(() => {
    if (process.ppid === parent && (npm === null || isAlive(npm))) return;
    clearInterval(watch);
    passOn("SIGTERM");
  }, 1_000);
  watch.unref();
}

/**
 * The process number of the npm that runs this; null if it is the parent itself, or unknown. Most shells stay between
 * both: a signal to npm ends only that shell, a SIGKILL only npm.
 */
function npmAbove(parent) {
  if (process.env.npm_lifecycle_event === undefined || process.platform === "win32") return null;
  const [name, above] = nameAndParentOf(parent);
  return /^(?:.*\/)?(?:ba|da|a|k|z)?sh$/u.test(name) ? Number(above) : null;
}

function nameAndParentOf(pid) {
  if (process.platform !== "linux") {
    const { stdout } = spawnSync("ps", ["-o", "ppid=", "-o", "comm=", "-p", String(pid)], { encoding: "utf8" });
    const [above, name] = (stdout ?? "").trim().split(/\s+/u);
    return [name, above];
  }
  // proc_pid_stat(5): the number, the program's name in parentheses, the state, the parent.
  return /\((.*)\) \S (\d+)/su.exec(readFileSync(`/proc/${pid}/stat`, "utf8")).slice(1);
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
