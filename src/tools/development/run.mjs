/**
 * Runs a script of package.json, also on a fresh clone: `node src/tools/development/run.mjs [--tests] [NAME=VALUE …] COMMAND …`.
 * COMMAND runs in the project's folder, with the pinned Node and the packages' programs. `--tests` installs what only tests and
 * checks need, too. Plain JavaScript without packages, for any Node from version 20.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
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

const words = process.argv.slice(2);
const withTests = words[0] === "--tests" && words.shift() !== undefined;
if (!isInstalled(withTests)) {
  console.log("Installing packages with npm ci …");
  const options = ["--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  if (!withTests) options.push("--workspaces=false");
  // The settings of an `npm --workspace` that runs this would apply here, too.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_config_.*workspace/iu.test(name)),
  );
  const { status } = spawnSync("npm", ["ci", ...options], { cwd, shell, env, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
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
child.on("exit", (status) => process.exit(status ?? 1));
