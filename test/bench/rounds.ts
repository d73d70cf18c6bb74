/**
 * Turns of what is compared, interleaved: in each round all have one, and another one is first each time. So what else the
 * machine does, and how fast it is at the moment, meets all of them alike.
 */
import { setTimeout } from "node:timers/promises";
import { cpuSecondsOf, type Stretch } from "./measure.ts";
import type { Subject } from "./subjects/subject.ts";

export interface Contender {
  subject: Subject;
  /** One turn. */
  turn: (milliseconds: number) => Promise<Stretch>;
}

export interface Plan {
  rounds: number;
  /** Of a turn. */
  milliseconds: number;
}

/** The first turn of each is not counted, and at most this long. */
const WARM_UP = 1_000;

/** How long the last turns may have an aftermath. */
const AFTERMATH = 1_000;

/**
 * Every contender's turns, in the order of the rounds.
 *
 * The CPU of a turn is what the subject uses from the beginning of this turn to the beginning of its next one: records,
 * alarms and collected garbage that come after the answers are part of what a transfer takes.
 */
export async function inRounds<Key>(contenders: ReadonlyMap<Key, Contender>, plan: Plan): Promise<Map<Key, Stretch[]>> {
  const turns = new Map<Key, Stretch[]>([...contenders.keys()].map((key) => [key, []]));
  const meters = new Map<Subject, CpuMeter>();
  const order = [...contenders];
  for (let round = 0; round <= plan.rounds; round++) {
    for (let place = 0; place < order.length; place++) {
      const [key, { subject, turn }] = order[(round + place) % order.length] ?? order[0]!;
      const meter = meters.get(subject) ?? new CpuMeter(subject);
      meters.set(subject, meter);
      await meter.end();
      const warmUp = round === 0;
      const stretch = await turn(warmUp ? Math.min(WARM_UP, plan.milliseconds) : plan.milliseconds);
      meter.belongsTo(stretch);
      if (!warmUp) turns.get(key)?.push(stretch);
    }
  }
  await setTimeout(AFTERMATH);
  for (const meter of meters.values()) await meter.end();
  return turns;
}

/** Gives each stretch of a subject the CPU that the subject used until the next one. */
class CpuMeter {
  readonly #subject: Subject;
  #last: Stretch | null = null;
  #before: number | null = null;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  belongsTo(stretch: Stretch): void {
    this.#last = stretch;
  }

  async end(): Promise<void> {
    const now = await cpuSecondsOf(this.#subject.pid);
    if (this.#last !== null) this.#last.cpuSeconds = now === null || this.#before === null ? null : now - this.#before;
    this.#before = now;
  }
}
