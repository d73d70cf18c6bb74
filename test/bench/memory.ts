/** Memory of idle, hibernating terminals: how much a process grows with each. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { residentBytes } from "./measure.ts";
import type { Pair } from "./parties.ts";
import { AccountFloor } from "./subjects/floors.ts";
import { Gateway } from "./subjects/gateway.ts";
import type { Enrolled, WorkerSubject } from "./subjects/subject.ts";

/**
 * An idle object hibernates after 10 s
 * (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/), and the alarm that a
 * connection or a sale leaves behind may wake it once more within the 10 s before.
 */
export const UNTIL_ASLEEP = 25_000;

/** What the first step leaves (compiled code, memory that the process keeps) is there for the others. */
const STEPS = 5;
const PER_STEP = 500;

const AT_ONCE = 20;
const BETWEEN = 500;

/** As fast for every subject, so that as many objects are awake at a time. */
export async function connectSlowly(subject: WorkerSubject, pairs: readonly Pair[]): Promise<Enrolled[]> {
  const connected: Enrolled[] = [];
  for (let first = 0; first < pairs.length; first += AT_ONCE) {
    const [some] = await Promise.all([subject.connect(pairs.slice(first, first + AT_ONCE)), setTimeout(BETWEEN)]);
    connected.push(...some);
  }
  return connected;
}

/**
 * Bytes per idle terminal of gateway and floor; null if the machine does not tell. In separate processes, which
 * collect all garbage each time that they collect any: what is waiting to be collected would be most of what is seen.
 */
export async function measureMemory(folder: string): Promise<Record<string, number | null>> {
  const measured = [Gateway, AccountFloor].map(async (kind): Promise<[string, number | null]> => {
    const subject = await kind.start(await mkdtemp(join(folder, "memory-")), { v8Flags: ["--gc-global"] });
    try {
      return [subject.name, await bytesPerTerminal(subject)];
    } finally {
      await subject.stop();
    }
  });
  return Object.fromEntries(await Promise.all(measured));
}

async function bytesPerTerminal(subject: WorkerSubject): Promise<number | null> {
  const pairs = await subject.enrol(STEPS * PER_STEP);
  // To enrol them woke many objects at once, whose memory the process would keep.
  await subject.restart();
  const fleet: Enrolled[] = [];
  const bytes: (number | null)[] = [];
  for (let step = 0; step < STEPS; step++) {
    fleet.push(...(await connectSlowly(subject, pairs.slice(fleet.length, fleet.length + PER_STEP))));
    await setTimeout(UNTIL_ASLEEP);
    bytes.push(await residentBytes(subject.pid));
  }
  for (const { terminal } of fleet) terminal.close();
  const [first = null] = bytes;
  const last = bytes.at(-1) ?? null;
  return first === null || last === null ? null : Math.round((last - first) / ((STEPS - 1) * PER_STEP));
}
