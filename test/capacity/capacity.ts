/**
 * `npm run capacity`: what a fleet of a given size does to each part of the platform, what ends first, the bill, and how long
 * the fleet takes to come back after an outage. See `options.ts` for its flags.
 */
import { compute } from "./computed.ts";
import { writeDocsFigures, writtenFigures } from "./docs-figures.ts";
import { readOptions, USAGE } from "./options.ts";
import { reportOf } from "./report.ts";

const read = readOptions(process.argv.slice(2));
if (!read.ok) {
  console.error(read.error);
  process.exitCode = 2;
} else if (read.value === "help") {
  console.log(USAGE);
} else if (read.value.docs) {
  await writeDocsFigures();
} else {
  const { json, docs: _docs, ...fleet } = read.value;
  const computed = await compute(fleet, writtenFigures().kept);
  console.log(json ? JSON.stringify(computed) : reportOf(computed));
}
