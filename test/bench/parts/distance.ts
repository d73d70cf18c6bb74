/**
 * What a shop waits for: till, Worker, account's object, terminal's object and terminal at a distance from each other. A
 * terminal that was silent is asked whether it is there; cold, the Worker's isolate is new as well.
 */
import { setTimeout } from "node:timers/promises";
import type { Caller } from "../http.ts";
import { sell } from "../measure.ts";
import type { Pair } from "../parties.ts";
import { quantile } from "../spread.ts";
import { BASELINE } from "../subjects/baseline.ts";
import { GATEWAY } from "../subjects/gateway.ts";
import type { Kind } from "../subjects/subject.ts";
import { OBJECT_DISTANCE } from "../workers/distant.ts";
import { coldRounds, prepare } from "./cold.ts";
import { closeAll, type Run, UNTIL_ASLEEP } from "./run.ts";

/** To the till and back, and to the terminals and back, in milliseconds. */
const TILL_DISTANCE = 20;
const NEAR = 60;
const FAR = 200;

/** Terminals, each of an account of its own; and sales of each state. */
const TERMINALS = 20;
const COLD = 10;

const STATES = ["warm", "silent", "cold"] as const;
type State = (typeof STATES)[number];
type Durations = Record<State, number[]>;

/** Both subjects with their objects far away. */
const KINDS: readonly Kind[] = [
  { ...GATEWAY, worker: { ...GATEWAY.worker, entry: "test/bench/workers/distant-gateway.ts" } },
  { ...BASELINE, worker: { ...BASELINE.worker, entry: "test/bench/workers/distant-baseline.ts" } },
];

export async function measureDistance(run: Run) {
  const rows = [];
  for (const kind of KINDS) {
    const near = await durationsOf(run, kind, NEAR);
    const far = await durationsOf(run, kind, FAR);
    for (const state of STATES) {
      const trips = tripsOf(quantile(near[state], 0.5), quantile(far[state], 0.5));
      rows.push({ ...rowOf(kind.name, state, NEAR, near[state]), ...trips });
      rows.push({ ...rowOf(kind.name, state, FAR, far[state]), ...trips });
    }
  }
  return { till: TILL_DISTANCE, object: OBJECT_DISTANCE, rows };
}

async function durationsOf(run: Run, kind: Kind, distance: number): Promise<Durations> {
  const subject = await run.start(kind);
  const fleet = await subject.connect(await subject.enrol(run.size(TERMINALS, 2), 1));
  for (const { terminal } of fleet) terminal.moveAway(distance);
  const sales = async (): Promise<number[]> => {
    const durations = [];
    for (const { pair } of fleet) durations.push(await sellFromAfar(subject.caller, pair));
    return durations;
  };
  await sales();
  const warm = await sales();
  await setTimeout(UNTIL_ASLEEP);
  const silent = await sales();
  closeAll(fleet);
  await subject.stop();
  const [cold = []] = await coldRounds(run, [await prepare(run, kind)], run.size(COLD, 1), (till, own) => {
    own.terminal.moveAway(distance);
    return sellFromAfar(till, own.pair);
  });
  return { warm, silent, cold: cold.map(({ sale }) => sale) };
}

/** @returns how many milliseconds the till waits */
async function sellFromAfar(caller: Caller, pair: Pair): Promise<number> {
  await setTimeout(TILL_DISTANCE / 2);
  const milliseconds = await sell(caller, pair);
  await setTimeout(TILL_DISTANCE / 2);
  return TILL_DISTANCE + milliseconds;
}

/** Round trips on the critical path: what a longer way to the terminal adds tells how often it is taken. */
function tripsOf(near: number, far: number) {
  const terminalTrips = Math.round((far - near) / (FAR - NEAR));
  const objectTrips = Math.floor((near - TILL_DISTANCE - terminalTrips * NEAR) / OBJECT_DISTANCE);
  return { objectTrips, terminalTrips };
}

/** @param terminal its distance */
function rowOf(name: string, state: State, terminal: number, durations: readonly number[]) {
  // The baseline asks no terminal whether it is there.
  const probe = state === "warm" || name !== GATEWAY.name ? 0 : terminal;
  return {
    name,
    state,
    terminal,
    p50: quantile(durations, 0.5),
    p99: quantile(durations, 0.99),
    // What the distances take: the account and the terminal's object, with its probe, at the same time; then the terminal.
    least: TILL_DISTANCE + OBJECT_DISTANCE + probe + terminal,
  };
}
