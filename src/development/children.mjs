/** Child processes of a task, which receive the signals that this process gets. Plain JavaScript without packages: see run.mjs. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

const running = new Set();

/**
 * Runs a command in the project's folder.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ collect?: boolean, ipc?: boolean, env?: NodeJS.ProcessEnv }} options `collect`: the output is kept, not shown
 * @returns {Promise<{ status: number, text: string }>} the exit status, and the output if it is collected
 */
export function run(command, args, { collect = false, ipc = false, env = process.env } = {}) {
  return new Promise((resolve) => {
    const output = collect ? "pipe" : "inherit";
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["inherit", output, output, ...(ipc ? ["ipc"] : [])],
      env,
      // npm is a batch file on Windows.
      shell: process.platform === "win32" && command === "npm",
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

/** A terminal's Ctrl-C has already reached the children; a second signal does no harm. */
function passOn(signal) {
  for (const child of running) child.kill(signal);
}

/** Without this, Ctrl-C would end this process before its children have cleaned up. */
export function passSignalsOn() {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => passOn(signal));
  // A `kill` of npm only ends the shell between npm and this process, which then has a new parent.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    passOn("SIGTERM");
  }, 1_000);
  watch.unref();
}
