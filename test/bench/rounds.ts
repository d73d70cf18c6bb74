/**
 * Turns of what is compared, interleaved: in each round all have one, and another one is first each time. So what else the
 * machine does, and how fast it is at the moment, meets all of them alike.
 */
import { setTimeout } from "node:timers/promises";
import { cpuSecondsOf } from "./machine.ts";
import type { Stretch } from "./measure.ts";
import type { Subject } from "./subjects/subject.ts";

interface Plan {
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
export async function inRounds<Key, One extends Stretch>(
  contenders: ReadonlyMap<Key, { subject: Subject; turn: (milliseconds: number) => Promise<One> }>,
  plan: Plan,
): Promise<Map<Key, One[]>> {
  const turns = new Map<Key, One[]>([...contenders.keys()].map((key) => [key, []]));
  /** Of each subject: its last turn, and the CPU that it had used before. */
  const last = new Map<Subject, { stretch: Stretch; before: number | null }>();
  const end = async (subject: Subject): Promise<number | null> => {
    const now = await cpuSecondsOf(subject.pid);
    const turn = last.get(subject);
    if (turn !== undefined) turn.stretch.cpuSeconds = now === null || turn.before === null ? null : now - turn.before;
    return now;
  };
  const order = [...contenders];
  for (let round = 0; round <= plan.rounds; round++) {
    const isWarmUp = round === 0;
    const first = round % order.length;
    for (const [key, { subject, turn }] of [...order.slice(first), ...order.slice(0, first)]) {
      const before = await end(subject);
      const stretch = await turn(isWarmUp ? Math.min(WARM_UP, plan.milliseconds) : plan.milliseconds);
      last.set(subject, { stretch, before });
      if (!isWarmUp) turns.get(key)?.push(stretch);
    }
  }
  await setTimeout(AFTERMATH);
  for (const subject of last.keys()) await end(subject);
  return turns;
}
