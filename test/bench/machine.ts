/** What the machine tells of a process, and of other work that it has. */
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { setTimeout } from "node:timers/promises";

const LOOKS = 2_000;

/** The share of all cores' time, in percent, that is taken while the bench does nothing: then times are too long. */
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

/** Of Linux's clock, in which /proc tells times. */
const TICKS_PER_SECOND = 100;

/**
 * User and system time that a process or a thread has used (proc(5), /proc/PID/stat, fields 14 and 15).
 *
 * @param pid of a process, or `PID/task/THREAD`
 */
export async function cpuSecondsOf(pid: number | string): Promise<number | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}
