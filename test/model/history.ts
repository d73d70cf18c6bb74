/** Histories: drawn at random or replayed from their actions, and shortened if they fail. */
import { ending } from "./ending.ts";
import { type Reach, PosPrograms, drawTraits, nextAction } from "./generator.ts";
import { Violation } from "./oracle.ts";
import { prelude } from "./preludes.ts";
import { PureGateway } from "./pure-gateway.ts";
import type { Notice } from "./pure-lane.ts";
import { type Random, createRandom } from "../../src/sdk/simulator/random.ts";
import { type Action, keyOf } from "./vocabulary.ts";
import { type Setting, World } from "./world.ts";

/** Any moment will do; it is in whole seconds so that histories read well. */
const START = 1_800_000_000_000;

export interface Told {
  violation: Violation | null;
  setting: Setting;
  actions: Action[];
}

export function drawSetting(random: Random, lives: readonly number[]): Setting {
  return { life: random.pick(lives), leaky: random.chance(0.2), hushed: random.chance(0.1) };
}

/** A beginning, some steps by chance, and the end. */
export function* byChance(
  world: World,
  random: Random,
  reach: Reach,
  posPrograms: PosPrograms,
  most: number,
): Generator<Action> {
  const traits = drawTraits(random, world.setting.leaky, reach);
  yield* prelude(world, posPrograms, random, reach);
  for (let steps = most / 4 + random.below((most * 3) / 4); steps > 0; steps--) {
    yield nextAction(world, posPrograms, traits, random);
  }
  yield* ending(world, random);
}

/** The actions of a history, and then the same ending as ever. */
function* again(world: World, actions: readonly Action[]): Generator<Action> {
  yield* actions;
  yield* ending(world, createRandom(1));
}

const PURE: Reach = { waits: true, rebinds: true, holdsUp: true, hibernates: 0.7, crashes: 1.2, scripted: 0.25 };

/** Plays the history of a seed against the pure gateway. `notice` is called with everything that is worth counting. */
export function playSeed(seed: number, notice: Notice): Told {
  const random = createRandom(seed);
  const setting = drawSetting(random, [90_000, 90_000, 40_000]);
  return tell(setting, notice, (world) => byChance(world, random, PURE, new PosPrograms(), 48));
}

/** Plays these actions, and an ending, against the pure gateway. */
export function playActions(setting: Setting, actions: readonly Action[], notice: Notice = () => undefined): Told {
  return tell(setting, notice, (world) => again(world, actions));
}

function tell(setting: Setting, notice: Notice, script: (world: World) => Generator<Action>): Told {
  const world = new World(setting, START);
  const gateway = new PureGateway(setting, START, notice);
  const actions: Action[] = [];
  try {
    for (const action of script(world)) {
      actions.push(action);
      const call = world.apply(action);
      if (call === null) continue;
      const { outputs, alarmAt } = gateway.perform(call);
      world.alarmAt = alarmAt;
      for (const output of outputs) world.receive(output);
    }
    mustBeCompleted(world, gateway);
    for (const what of world.seen) notice(what);
    return { violation: null, setting, actions };
  } catch (error) {
    return { violation: asViolation(error), setting, actions };
  }
}

/** An exception of the gateway's own is as bad as a broken promise: the object would have dropped the step. */
export function asViolation(error: unknown): Violation {
  return error instanceof Violation ? error : new Violation("exception", String((error as Error).stack));
}

/** After the ending the lane is free, but for what only the operator can resolve. */
function mustBeCompleted(world: World, gateway: PureGateway): void {
  for (const { requestId, state, pendingReason, posId, referenceId } of gateway.lane.lane.open.values()) {
    const scrapped = world.sent.wentToScrapped(keyOf(posId, referenceId));
    if (state === "pending" && (pendingReason === "mismatch" || scrapped)) continue;
    throw new Violation("liveness", `${requestId} is ${state}, ${pendingReason ?? "no reason"}, forever`);
  }
}

/** Leaves out what the failure does not need: ever smaller pieces, while the same invariant still fails. */
export function minimise({ setting, violation, actions }: Told): Action[] {
  const failsAlike = (candidate: Action[]): boolean =>
    playActions(setting, candidate).violation?.invariant === violation?.invariant;
  let shortest = actions;
  if (!failsAlike(shortest)) return shortest;
  for (let size = Math.ceil(shortest.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = shortest.length - size; from > -size; from -= size) {
      const candidate = [...shortest.slice(0, Math.max(0, from)), ...shortest.slice(Math.max(0, from + size))];
      if (candidate.length < shortest.length && failsAlike(candidate)) shortest = candidate;
    }
  }
  return shortest;
}

export interface Failure {
  violation: Violation;
  setting: Setting;
  actions: readonly Action[];
  /** How the very same history is played again. */
  again: string;
}

export function report({ violation, setting, actions, again: command }: Failure): string {
  const lines = actions.map((action) => `    ${JSON.stringify(action)},`);
  return [
    violation.message,
    "",
    `Play it again: ${command}`,
    "A test to keep, for test/node/model/regressions.test.ts:",
    "",
    'it("<what must hold, and under what>", ({ expect }) => {',
    `  const reported = playActions(${JSON.stringify(setting)}, [`,
    ...lines,
    "  ]);",
    "  expect(reported.violation).toBeNull();",
    "});",
    "",
  ].join("\n");
}
