/** Which fault comes when, and what the operator does when: it follows from the seed. */
import type { Fault, OperatorAction } from "./journal.ts";
import type { Random } from "./random.ts";

/** What an operator begins by itself: what is suspended is resumed in the same go. */
export type Action = Exclude<OperatorAction, "resume">;

export type Step = {
  /** Milliseconds after the shops have opened. */
  at: number;
  /** For what the step decides. */
  random: Random;
} & ({ fault: Fault } | { action: Action });

interface Kinds<Kind extends string> {
  /** How often each comes, compared to the others. */
  weights: Readonly<Partial<Record<Kind, number>>>;
  /** Milliseconds between two of them, at least and at most. */
  gap: readonly [number, number];
}

const OF_THE_GATEWAY: Kinds<Fault> = {
  weights: { kill: 3, restart: 1, stop: 2, disk: 1, database: 2 },
  gap: [8_000, 24_000],
};
const OF_THE_SHOPS: Kinds<Fault> = {
  weights: { cut: 4, delay: 2, duplicate: 3, drop: 3, power: 4, memory: 1, clock: 2, receiver: 2 },
  gap: [500, 4_000],
};
const OF_THE_OPERATOR: Kinds<Action> = {
  weights: { suspend: 2, rotate: 2, password: 2, rebind: 3, zone: 2, resolve: 3, delete: 1, "master-keys": 1 },
  gap: [4_000, 12_000],
};

/**
 * All steps of a run, in the order of time.
 *
 * @param omitted faults that this machine cannot cause
 */
export function planOf(random: Random, milliseconds: number, omitted: readonly Fault[]): Step[] {
  const faults = [OF_THE_GATEWAY, OF_THE_SHOPS]
    .flatMap((kinds, index) => timesOf(kinds, random.of(index), milliseconds))
    .map(({ kind, ...time }) => ({ ...time, fault: kind }))
    .filter(({ fault }) => !omitted.includes(fault));
  const actions = timesOf(OF_THE_OPERATOR, random.of("operator"), milliseconds).map(({ kind, ...time }) => ({
    ...time,
    action: kind,
  }));
  return [...faults, ...actions].toSorted((one, other) => one.at - other.at);
}

function timesOf<Kind extends string>(
  { weights, gap: [least, most] }: Kinds<Kind>,
  random: Random,
  milliseconds: number,
): { at: number; random: Random; kind: Kind }[] {
  const times: { at: number; random: Random; kind: Kind }[] = [];
  // From a bag: each kind comes as often as its weight says, also in a short run.
  let bag: Kind[] = [];
  for (let at = random.between(0, most); at < milliseconds; at += random.between(least, most)) {
    if (bag.length === 0) bag = shuffled(filled(weights), random);
    const kind = bag.pop();
    if (kind !== undefined) times.push({ at, random: random.of(times.length), kind });
  }
  return times;
}

function filled<Kind extends string>(weights: Readonly<Partial<Record<Kind, number>>>): Kind[] {
  const entries = Object.entries(weights) as [Kind, number][];
  return entries.flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind));
}

function shuffled<Of>(all: readonly Of[], random: Random): Of[] {
  return all
    .map((one) => ({ one, at: random.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ one }) => one);
}
