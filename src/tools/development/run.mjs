/**
 * Runs a script of package.json, also on a fresh clone: `node src/tools/development/run.mjs [--tests] [NAME=VALUE …] COMMAND …`.
 * COMMAND runs in the project's folder, with the pinned Node and the packages' programs. `--tests` installs what only tests and
 * checks need, too. Plain JavaScript without packages, for any Node from version 20.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = 20;
if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  console.error(`This requires Node ${OLDEST_NODE} or later. You have Node ${process.versions.node}.`);
  process.exit(1);
}

const cwd = fileURLToPath(new URL("../../..", import.meta.url));
const modules = join(cwd, "node_modules");
// npm and the programs of packages are batch files on Windows.
const shell = process.platform === "win32";

/** npm writes its list of what it has installed last. */
function isInstalled(withTests) {
  const list = join(modules, ".package-lock.json");
  const isNew = existsSync(list) && statSync(list).mtimeMs >= statSync(join(cwd, "package-lock.json")).mtimeMs;
  return isNew && (!withTests || existsSync(join(modules, "vitest")));
}

/** The number of the process that installs: a second `npm ci` would delete what the first one has installed. */
const lock = join(cwd, ".wrangler", "installing");

function lockInstallation() {
  mkdirSync(dirname(lock), { recursive: true });
  if (existsSync(lock))
    console.log(`Waiting for another process that installs packages. If none does, delete ${lock}.`);
  for (;;) {
    try {
      return writeFileSync(lock, String(process.pid), { flag: "wx" });
    } catch {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
    try {
      process.kill(Number(readFileSync(lock)), 0);
    } catch (error) {
      if (error.code === "ESRCH") rmSync(lock, { force: true }); // that process was killed
    }
  }
}

function installPackages(withTests) {
  console.log("Installing packages with npm ci …");
  const options = ["--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  if (!withTests) options.push("--workspaces=false");
  // The settings of an `npm --workspace` that runs this would apply here, too.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_config_.*workspace/iu.test(name)),
  );
  return spawnSync("npm", ["ci", ...options], { cwd, shell, env, stdio: "inherit" }).status ?? 1;
}

const words = process.argv.slice(2);
const withTests = words[0] === "--tests" && words.shift() !== undefined;
// Older packages are enough for help, and an installation would take them away from a gateway that runs.
const isHelp = words.includes("--help") && existsSync(join(modules, ".package-lock.json"));
if (!isInstalled(withTests) && !isHelp) {
  lockInstallation();
  const status = isInstalled(withTests) ? 0 : installPackages(withTests);
  rmSync(lock, { force: true });
  if (status !== 0) process.exit(status);
}

while (/^[A-Z_]+=/u.test(words[0] ?? "")) {
  const [name, value] = words.shift().split("=");
  process.env[name] = value;
}
process.env.PATH = [join(modules, "node", "bin"), join(modules, ".bin"), process.env.PATH].join(delimiter);
const [command, ...args] = words;
// A script of Node learns from the closed channel that this process has ended, whatever has ended it.
const stdio = command === "node" ? ["inherit", "inherit", "inherit", "ipc"] : "inherit";
const child = spawn(command, args, { cwd, shell, stdio });
// Without listeners, Ctrl-C would end this process before its child has cleaned up.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// npm passes SIGTERM on to its shell alone, which ends without its child: the gateway would go on without npm.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, 500);
}
child.on("exit", (status) => process.exit(status ?? 1));
