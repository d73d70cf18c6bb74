/** Which fault comes when, and what the operator does when: it follows from the seed. */
import type { Fault, OperatorAction } from "./journal.ts";
import type { Random } from "./random.ts";

/** What an operator begins by itself: what is suspended is resumed in the same go. */
export type Action = Exclude<OperatorAction, "resume">;

export interface Step {
  kind: Fault | Action;
  /** Milliseconds after the shops have opened. */
  at: number;
  random: Random;
}

interface Kinds {
  weights: Readonly<Partial<Record<Step["kind"], number>>>;
  /** Milliseconds between two of them, at least and at most. */
  gap: readonly [number, number];
}

const OF_THE_GATEWAY: Kinds = {
  weights: { kill: 3, restart: 1, stop: 2, disk: 1, database: 2 },
  gap: [8_000, 24_000],
};
const OF_THE_SHOPS: Kinds = {
  weights: { cut: 4, delay: 2, duplicate: 3, drop: 3, power: 4, memory: 1, clock: 2, receiver: 2 },
  gap: [500, 4_000],
};
const OF_THE_OPERATOR: Kinds = {
  weights: { suspend: 2, rotate: 2, password: 2, rebind: 3, zone: 2, resolve: 3, delete: 1, "master-keys": 1 },
  gap: [4_000, 12_000],
};

/**
 * All steps of a run, in the order of time.
 *
 * @param omitted faults that this machine cannot cause
 */
export function planOf(random: Random, milliseconds: number, omitted: readonly Fault[]): Step[] {
  return [OF_THE_GATEWAY, OF_THE_SHOPS, OF_THE_OPERATOR]
    .flatMap((kinds, index) => stepsOf(kinds, random.of(index), milliseconds))
    .filter(({ kind }) => !(omitted as readonly Step["kind"][]).includes(kind))
    .toSorted((one, other) => one.at - other.at);
}

function stepsOf({ weights, gap: [least, most] }: Kinds, random: Random, milliseconds: number): Step[] {
  const steps: Step[] = [];
  // From a bag: each kind comes as often as its weight says, also in a short run.
  const all = (Object.entries(weights) as [Step["kind"], number][]).flatMap(([kind, weight]) =>
    Array.from({ length: weight }, () => kind),
  );
  let bag: Step["kind"][] = [];
  for (let at = random.between(0, most); at < milliseconds; at += random.between(least, most)) {
    if (bag.length === 0) bag = [...all];
    const [kind] = bag.splice(random.between(0, bag.length - 1), 1);
    if (kind !== undefined) steps.push({ at, random: random.of(steps.length), kind });
  }
  return steps;
}
