/**
 * `npm run bench`: what a transfer takes, next to a baseline, cold, at a distance, beside logins, and at a large account. See
 * `--help`. Times depend on the machine; the ratios are what counts.
 */
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { QUIET_PERCENT } from "../../src/docs/build/speed.ts";
import { given } from "../support/tool.ts";
import { jsonOf, judge, type PartName, saveFigures, type SpeedFigures } from "./figures.ts";
import { othersPercent } from "./machine.ts";
import { readOptions } from "./options.ts";
import { PARTS } from "./parts/parts.ts";
import { Run } from "./parts/run.ts";

/** File systems in memory, as Linux numbers them (statfs(2)): tmpfs and ramfs. */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6];

/** A part that takes so many milliseconds ends the bench, five times what any takes alone; what was measured before is written. */
const TOO_LATE = 1_800_000;

const options = given(readOptions);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const folder = await mkdtemp(join(options.folder ?? tmpdir(), "bench-"));
// However the bench ends: a part's processes end with it, and their databases are of no use.
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const figures: SpeedFigures = {};
for (const name of options.parts) {
  try {
    await measure(name);
  } catch (error) {
    // The other parts are worth their time all the same.
    console.error(`${name} failed:`, error);
    process.exitCode = 1;
    continue;
  }
  await mkdir(dirname(options.json), { recursive: true });
  await writeFile(options.json, jsonOf(figures));
  if (options.save) await saveFigures(figures);
}
if (!options.quick) printVerdicts();
console.log(`\nWritten to ${options.json}${options.save ? ", and to src/docs/speed.json" : ""}.`);

async function measure(name: PartName): Promise<void> {
  console.log(`\n== ${name}: ${PARTS[name].what}`);
  const others = await othersPercent();
  if (others > QUIET_PERCENT) console.log(`Other work takes ${others} % of this machine: times are too long.`);
  const started = performance.now();
  const own = join(folder, name);
  const at = new Date().toISOString();
  const late = setTimeout(() => {
    console.error(`${name} takes more than ${minutes(TOO_LATE / 1_000)}: given up.`);
    process.exit(1);
  }, TOO_LATE);
  const run = new Run(options, own);
  let found;
  try {
    found = await PARTS[name].measure(run);
  } finally {
    await run.end();
    clearTimeout(late);
  }
  await rm(own, { recursive: true, force: true });
  console.log(inspect(JSON.parse(jsonOf(found)), { depth: null, breakLength: 150, compact: 4 }));
  const seconds = Math.round((performance.now() - started) / 1_000);
  const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores, ${process.platform}`;
  const onDisk = !IN_MEMORY.includes((await statfs(folder)).type);
  Object.assign(figures, { [name]: { at, machine, onDisk, othersPercent: others, seconds, figures: found } });
  console.log(`${name} took ${minutes(seconds)}; databases ${onDisk ? "on disk" : "in memory"}.`);
}

function printVerdicts(): void {
  const verdicts = judge(figures).filter(({ measured }) => measured !== null);
  if (verdicts.length > 0) console.log("\nGoals, with databases on disk");
  for (const { goal, atMost, measured, rounds, met } of verdicts) {
    const spread = rounds === null ? "" : ` (${rounds.lower.toFixed(2)} to ${rounds.upper.toFixed(2)})`;
    console.log(`  ${goal}: at most ${atMost}: ${measured?.toFixed(2)}${spread}: ${met ? "met" : "missed"}`);
  }
}

function minutes(seconds: number): string {
  return `${(seconds / 60).toFixed(1)} minutes`;
}
