/** Whether the machine has other work: then times are too long, and ratios vary more. */
import { cpus } from "node:os";
import { setTimeout } from "node:timers/promises";

const LOOKS = 2_000;

/** The share of all cores' time, in percent, that is taken while the bench does nothing. */
export async function othersPercent(): Promise<number> {
  const before = times();
  await setTimeout(LOOKS);
  const after = times();
  return Math.round(((after.busy - before.busy) / (after.all - before.all)) * 100);
}

function times(): { busy: number; all: number } {
  const sums = cpus().map(({ times: { idle, ...busy } }) => ({
    idle,
    busy: Object.values(busy).reduce((sum, time) => sum + time, 0),
  }));
  const busy = sums.reduce((sum, core) => sum + core.busy, 0);
  return { busy, all: sums.reduce((sum, core) => sum + core.idle, busy) };
}
