/**
 * Runs the project's tasks on a fresh clone: `node src/development/run.mjs TASK [arguments]`. TASK is start, deploy,
 * terminal, pos, operator, simulate, conformance, test, test:all, model, check, with or tools.
 *
 * Plain JavaScript without packages, because it runs before anything is installed, on any Node from version 20. It
 * installs the packages that the task needs, including a newer Node, and runs the task with that.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { endTogether, passSignalsOn, root, run } from "./children.mjs";
import { DescendantCpu } from "./cpu.mjs";
import { install, pinnedNode } from "./packages.mjs";

const OLDEST_NODE = 20;

/** The other tasks need only the packages that package.json names. */
const WITH_TESTS = ["test", "test:all", "model", "check", "tools", "with"];

/** The tasks that leave no process behind. Others may start a process that must stay: a tester's own terminal. */
const ENDS_TOGETHER = ["start", "test", "test:all", "model", "check", "with"];

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** Without `args`, every test file. */
async function test(args) {
  const startedAt = performance.now();
  const cpu = process.platform === "linux" ? new DescendantCpu() : null;
  const looks = setInterval(() => cpu?.look(), 1_000);
  const folder = mkdtempSync(join(tmpdir(), "gateway-tests-"));
  const report = join(folder, "report.json");
  const apart = join(folder, "cpu-apart");
  if (cpu !== null) process.env.CPU_APART = apart;
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
    const counts = countsOf(existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : null, status);
    const seconds = (performance.now() - startedAt) / 1_000;
    return { ...counts, seconds, cpu: cpu?.seconds ?? null, apart: secondsApart(apart) };
  } finally {
    clearInterval(looks);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file that could not be loaded, or a run that failed in another way, counts as failed. */
function countsOf(report, status) {
  const passed = report?.numPassedTests ?? 0;
  const brokenFiles = (report?.testResults ?? []).filter(
    (file) => file.status === "failed" && file.assertionResults.every((one) => one.status !== "failed"),
  );
  const failed = (report?.numFailedTests ?? 0) + brokenFiles.length;
  return { passed, failed: failed === 0 && status !== 0 ? 1 : failed };
}

/** The CPU seconds that test/support/count-apart.ts has noted, by purpose. */
function secondsApart(path) {
  const sums = {};
  const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  for (const { name, seconds } of lines.map((line) => JSON.parse(line))) sums[name] = (sums[name] ?? 0) + seconds;
  return sums;
}

/** @param cpu seconds; null: unknown on this system */
function printCounts({ passed, failed, seconds, cpu, apart }) {
  const others = Object.entries(apart).map(([name, part]) => `, ${Math.round(part)} s of them for ${name}`);
  console.log(`${Math.round(seconds)} s${cpu === null ? "" : `, ${Math.round(cpu)} s of CPU${others.join("")}`}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

/** Scripts in the parent folder. `ipc`: the script learns when this process has ended. */
const PROGRAMS = {
  start: { script: "development/start.ts", ipc: true },
  deploy: { script: "development/deploy/deploy.ts" },
  terminal: { script: "command-line/terminal.ts", ipc: true },
  pos: { script: "command-line/pos.ts" },
  operator: { script: "command-line/operator.ts" },
  simulate: { script: "development/simulate/simulate.ts", ipc: true },
  conformance: { script: "command-line/conformance.ts" },
};

async function runProgram({ script, ipc = false }, args) {
  const { status } = await run(pinnedNode, [join(root, "src", script), ...args], { ipc });
  process.exitCode = status;
}

const tasks = {
  ...Object.fromEntries(Object.entries(PROGRAMS).map(([task, program]) => [task, (args) => runProgram(program, args)])),

  async test(args) {
    printCounts(await test(args));
  },

  /** The same tests, with every repetition: see test/support/repetition.ts. */
  async "test:all"(args) {
    process.env.TEST_ALL = "1";
    printCounts(await test(args));
  },

  /** Random histories against the lane and the objects, more than in the tests: see test/support/repetition.ts. */
  async model(args) {
    process.env.MODEL = "1";
    await tasks.with(["vitest", "run", "--config", "test/vitest.config.ts", "test/model", ...args]);
  },

  /** Everything that must hold before a change is done. */
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

  /** Runs Node, or a program of the installed packages, with its arguments. */
  async with([command = "node", ...args]) {
    process.env.PATH = `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`;
    const { status } = await run(command, args);
    process.exitCode = status;
  },

  /** Only installs every package, for the scripts of package.json that run a tool. */
  async tools() {},
};

const [task, ...args] = process.argv.slice(2);
if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  fail(`This requires Node ${OLDEST_NODE} or later. You have Node ${process.versions.node}.`);
}
if (!Object.hasOwn(tasks, task)) fail(`Usage: node src/development/run.mjs ${Object.keys(tasks).join("|")}`);
passSignalsOn();
if (ENDS_TOGETHER.includes(task)) endTogether();
const problem = await install({ tests: WITH_TESTS.includes(task) });
if (problem !== null) fail(`Could not install the packages (${problem}). Fix that and run this again.`);
// Node's compile cache: a command that has run before starts with a third of the CPU time.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "compiled");
await tasks[task](args);
