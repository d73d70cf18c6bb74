/**
 * Installs the packages of package-lock.json: those that package.json names, and on request the workspaces' packages,
 * which only tests and checks need. Plain JavaScript without packages: see run.mjs.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./children.mjs";

/** The Node that everything runs on. */
export const pinnedNode = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");

/** npm's own list of installed packages. */
const INSTALLED = join(root, "node_modules", ".package-lock.json");

/**
 * Installs what is missing, and shows the progress: the first run is slow.
 *
 * @param {{ tests: boolean }} what `tests`: also what only tests and checks need
 * @returns {Promise<string | null>} null, or why it failed
 */
export async function install({ tests }) {
  const lock = packagesOf(join(root, "package-lock.json"));
  const needed = tests ? Object.keys(lock).filter((place) => place !== "") : neededByRoot(lock);
  if (isInstalled(lock, needed)) return null;
  const isBegun = tests && isInstalled(lock, neededByRoot(lock));
  // `ci` would remove the packages that are there. Without npm's list, an interrupted `install` is followed by `ci`.
  if (isBegun) rmSync(INSTALLED);
  const command = isBegun ? ["install", "--no-save"] : ["ci", ...(tests ? [] : ["--workspaces=false"])];
  const stop = showProgress(needed.filter((place) => isForHere(lock[place]) && !(isBegun && isThere(place))));
  const { status, text } = await run(
    "npm",
    [...command, "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"],
    {
      collect: true,
      env: withoutWorkspace(process.env),
    },
  );
  stop(status === 0);
  return status === 0 && isInstalled(lock, needed) ? null : `npm ${command[0]}: ${reasonIn(text)}`;
}

function packagesOf(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages;
}

/** Places in the lock file: of the packages that package.json names, and of their dependencies. */
function neededByRoot(lock) {
  const { dependencies, devDependencies } = lock[""];
  const places = new Set(Object.keys({ ...dependencies, ...devDependencies }).map((name) => `node_modules/${name}`));
  // A set's iteration includes elements added meanwhile.
  for (const place of places) for (const name of dependenciesOf(lock[place])) places.add(placeOf(lock, place, name));
  places.delete(undefined);
  return [...places];
}

function dependenciesOf({ dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = {}) {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Where Node finds the package `name` if the one at `from` imports it: below `from`, or further up. */
function placeOf(lock, from, name) {
  const parts = from.split("/");
  const folders = parts.map((_, index) => parts.slice(0, parts.length - index).join("/"));
  return [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`].find((place) =>
    Object.hasOwn(lock, place),
  );
}

/** In the version of the lock file. Optional packages may belong to another platform. */
function isInstalled(lock, needed) {
  if (!existsSync(INSTALLED) || !existsSync(pinnedNode)) return false;
  const installed = packagesOf(INSTALLED);
  const same = (place) =>
    lock[place].version === installed[place].version && lock[place].integrity === installed[place].integrity;
  return (
    Object.keys(installed).every((place) => place in lock) &&
    needed.every((place) => (place in installed ? same(place) : lock[place].optional === true))
  );
}

/** A lock file has the packages of every platform. */
function isForHere({ optional, os, cpu, libc }) {
  if (optional !== true) return true;
  return Boolean(os?.includes(process.platform) && cpu?.includes(process.arch) && !libc?.includes("musl"));
}

function isThere(place) {
  return existsSync(join(root, place, "package.json"));
}

/**
 * Shows how many packages are installed: on a terminal, a line that changes every second; elsewhere, a line every ten
 * seconds.
 *
 * @param {readonly string[]} places their folders, below the project's
 * @param {{ isTTY?: boolean, write: (text: string) => unknown }} output
 * @returns {(isDone: boolean) => void} ends it
 */
export function showProgress(places, output = process.stdout) {
  const { isTTY = false } = output;
  const began = Date.now();
  const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
  const show = () => {
    const line = `Installing packages: ${places.filter(isThere).length} of ${places.length} (${seconds()})`;
    output.write(isTTY ? `\r${line}` : `${line}\n`);
  };
  show();
  const timer = setInterval(show, isTTY ? 1_000 : 10_000);
  return (isDone) => {
    clearInterval(timer);
    if (isTTY) output.write("\r\u001B[K");
    if (isDone) output.write(`Installed ${places.length} packages in ${seconds()}.\n`);
  };
}

/** Without the settings of an `npm --workspace` that runs this: they would apply to the npm that this runs. */
function withoutWorkspace(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_config_.*workspace/iu.test(name)));
}

/** The first line of npm's output that says what was wrong. */
function reasonIn(text) {
  const lines = text.split("\n").map((line) => line.replace(/^npm (error|ERR!)\s*/i, "").trim());
  const telling = lines.filter(
    (line) => line !== "" && !line.startsWith("code ") && !line.startsWith("A complete log"),
  );
  return telling[0] ?? "no reason given";
}
