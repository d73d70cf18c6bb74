/**
 * Runs the project's tasks on a fresh clone: `node src/development/run.mjs TASK [arguments]`. TASK is start, deploy,
 * terminal, pos, operator, simulate, conformance, test, test:all or check.
 *
 * Plain JavaScript without packages, because it runs before anything is installed, on any Node from version 20. It installs
 * the packages of package-lock.json, including a newer Node, and runs the task with that.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pinnedNode = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
const OLDEST_NODE = 20;

/** Child processes that receive this process's signals. */
const children = new Set();

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** Runs a command in the project's root. Resolves to its exit status and, if collected, its output. */
function run(command, args, { collect = false, ipc = false } = {}) {
  return new Promise((resolve) => {
    const output = collect ? "pipe" : "inherit";
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["inherit", output, output, ...(ipc ? ["ipc"] : [])],
      // npm is a batch file on Windows.
      shell: process.platform === "win32" && command === "npm",
    });
    children.add(child);
    let text = "";
    child.stdout?.on("data", (data) => (text += data));
    child.stderr?.on("data", (data) => (text += data));
    child.on("error", (error) => resolve({ status: 1, text: error.message }));
    child.on("close", (status) => {
      children.delete(child);
      resolve({ status: status ?? 1, text });
    });
  });
}

/** A terminal's Ctrl-C has already reached the children; a second signal does no harm. */
function passOn(signal) {
  for (const child of children) child.kill(signal);
}

/** Without this, Ctrl-C would end this process before its children have cleaned up. */
function passSignalsOn() {
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

function packagesOf(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages;
}

/** Whether node_modules matches package-lock.json. Optional packages may belong to another platform. */
function isInstalled() {
  const installedLock = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installedLock) || !existsSync(pinnedNode)) return false;
  const { "": _root, ...wanted } = packagesOf(join(root, "package-lock.json"));
  const installed = packagesOf(installedLock);
  const same = (name) =>
    wanted[name].version === installed[name].version && wanted[name].integrity === installed[name].integrity;
  return (
    Object.keys(installed).every((name) => name in wanted) &&
    Object.keys(wanted).every((name) => (name in installed ? same(name) : wanted[name].optional === true))
  );
}

async function install() {
  if (isInstalled()) return;
  console.log("Installing the packages of package-lock.json …");
  const { status, text } = await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { collect: true });
  if (status !== 0 || !existsSync(pinnedNode)) {
    const reason = text
      .split("\n")
      .map((line) => line.replace(/^npm (error|ERR!)\s*/i, "").trim())
      .filter((line) => line !== "" && !line.startsWith("code ") && !line.startsWith("A complete log"))[0];
    fail(`Could not install the packages (npm ci: ${reason ?? "no reason given"}). Fix that and run this again.`);
  }
}

/** Runs every test file, or those in `args`. Resolves to the counts. */
async function test(args) {
  const folder = mkdtempSync(join(tmpdir(), "gateway-tests-"));
  const report = join(folder, "report.json");
  try {
    const { status } = await run(pinnedNode, [
      join(root, "node_modules", "vitest", "vitest.mjs"),
      "run",
      "--config",
      "test/vitest.config.ts",
      "--reporter=default",
      "--reporter=json",
      "--reporter=test/support/silence.ts",
      `--outputFile.json=${report}`,
      ...args,
    ]);
    return countsOf(existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : null, status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts a file that could not be loaded, and a run that failed in another way, as failed. */
function countsOf(report, status) {
  const passed = report?.numPassedTests ?? 0;
  const brokenFiles = (report?.testResults ?? []).filter(
    (file) => file.status === "failed" && file.assertionResults.every((one) => one.status !== "failed"),
  );
  const failed = (report?.numFailedTests ?? 0) + brokenFiles.length;
  return { passed, failed: failed === 0 && status !== 0 ? 1 : failed };
}

function printCounts({ passed, failed }) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

const tasks = {
  async start(args) {
    const { status } = await run(pinnedNode, [join(root, "src", "development", "start.ts"), ...args], { ipc: true });
    process.exitCode = status;
  },

  async deploy(args) {
    const { status } = await run(pinnedNode, [join(root, "src", "development", "deploy", "deploy.ts"), ...args]);
    process.exitCode = status;
  },

  async terminal(args) {
    const { status } = await run(pinnedNode, [join(root, "src", "command-line", "terminal.ts"), ...args], {
      ipc: true,
    });
    process.exitCode = status;
  },

  async pos(args) {
    const { status } = await run(pinnedNode, [join(root, "src", "command-line", "pos.ts"), ...args]);
    process.exitCode = status;
  },

  async operator(args) {
    const { status } = await run(pinnedNode, [join(root, "src", "command-line", "operator.ts"), ...args]);
    process.exitCode = status;
  },

  async simulate(args) {
    const script = join(root, "src", "development", "simulate", "simulate.ts");
    const { status } = await run(pinnedNode, [script, ...args], { ipc: true });
    process.exitCode = status;
  },

  async conformance(args) {
    const { status } = await run(pinnedNode, [join(root, "src", "conformance", "conformance.ts"), ...args]);
    process.exitCode = status;
  },

  async test(args) {
    printCounts(await test(args));
  },

  /** The same tests, with every repetition: see test/support/repetition.ts. */
  async "test:all"(args) {
    process.env.TEST_ALL = "1";
    printCounts(await test(args));
  },

  /** Format, lint, types, what ships, and `npm test`: everything that must hold before a change is done. */
  async check(args) {
    const broken = [];
    for (const script of ["format:check", "lint", "types", "ships"]) {
      const { status } = await run("npm", ["run", "--silent", script]);
      console.log(`${script}: ${status === 0 ? "passed" : "failed"}`);
      if (status !== 0) broken.push(script);
    }
    const counts = await test(args);
    if (broken.length > 0) console.log(`Failed: ${broken.join(", ")}`);
    printCounts(counts);
    if (broken.length > 0) process.exitCode = 1;
  },
};

const [task, ...args] = process.argv.slice(2);
if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  fail(`This requires Node ${OLDEST_NODE} or later. You have Node ${process.versions.node}.`);
}
if (!Object.hasOwn(tasks, task)) fail(`Usage: node src/development/run.mjs ${Object.keys(tasks).join("|")}`);
passSignalsOn();
await install();
// Node's compile cache: a command that has run before starts with a third of the CPU time.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "compiled");
await tasks[task](args);
