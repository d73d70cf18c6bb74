/**
 * What happens next, by chance. Every history draws its own mixture of faults, most of them absent: states that need
 * two rare things at once are reached by histories in which these two are common (swarm testing).
 */
import type { Held } from "./device.ts";
import type { Line } from "./network.ts";
import type { Random } from "../../src/sdk/simulator/random.ts";
import { RESPOND_BEFORE_END } from "../../src/protocol/limits.ts";
import type { Action, Message, UpFrame, Work } from "./vocabulary.ts";
import type { World } from "./world.ts";
import { LANE_AFTER_END } from "../../src/gateway/terminal/lane/lane.ts";

/** The POS programs of one history: which references are in use, and for what. */
export class PosPrograms {
  /** Messages that started a transaction, newest last. */
  readonly started: Message[] = [];
  /** References that were asked about or cancelled before their request was sent. */
  readonly announced: string[] = [];
  /** To be said once more, in the very moment in which it was said. */
  twin: Message | null = null;
  #references = 0;
  readonly #prefix: string;

  /** @param prefix of every reference, so that histories that share an account do not share references */
  constructor(prefix = "r") {
    this.#prefix = prefix;
  }

  reference(): string {
    return `${this.#prefix}${++this.#references}`;
  }
}

function chooseMessage(world: World, posPrograms: PosPrograms, traits: Traits, random: Random): Message {
  const pos = traits.rebinds && random.chance(0.35) ? "Q" : "P";
  const known =
    posPrograms.started.length === 0 || !random.chance(traits.nosy) ? null : knownMessage(posPrograms, random);
  if (known === null) return newTransaction(world, posPrograms, traits, pos, random);
  const drawn = random.next();
  const own = posPrograms.reference();
  if (drawn < 0.3) return known;
  if (drawn < 0.5) return { kind: "cancel", pos: known.pos, reference: known.reference };
  if (drawn < 0.68) return { kind: "inquiry", pos: known.pos, reference: own, named: known.reference };
  if (drawn < 0.74) return { kind: "inquiry", pos: known.pos, reference: random.chance(0.5) ? own : known.reference };
  if (drawn < 0.82) {
    const ids = world.sent.numbers();
    if (ids.length > 0) return { kind: "inquiry", pos, reference: own, transId: random.pick(ids) };
    return { kind: "getLast", pos: known.pos, reference: own };
  }
  if (drawn < 0.9) return { kind: "getLast", pos: known.pos, reference: own };
  if (drawn < 0.95) {
    // The same reference for something else.
    return { kind: "sale", pos: known.pos, reference: known.reference, amount: "77.00" };
  }
  // Asked about, or cancelled, before it is there.
  posPrograms.announced.push(own);
  if (random.chance(0.5)) return { kind: "cancel", pos, reference: own };
  return { kind: "inquiry", pos, reference: posPrograms.reference(), named: own };
}

function knownMessage(posPrograms: PosPrograms, random: Random): Message {
  const newest = posPrograms.started.at(-1);
  return newest !== undefined && random.chance(0.5) ? newest : random.pick(posPrograms.started);
}

function newTransaction(world: World, posPrograms: PosPrograms, traits: Traits, pos: string, random: Random): Message {
  const drawn = random.next();
  const reference =
    posPrograms.announced.length > 0 && random.chance(0.4)
      ? random.pick(posPrograms.announced)
      : posPrograms.reference();
  let message: Message;
  const charged = world.sent.chargedSales();
  if (charged.length > 0 && random.chance(traits.voids)) {
    message = { kind: "void", pos, reference, transId: random.pick(charged) };
  } else if (drawn < 0.05 && world.sent.size > 0) {
    message = { kind: "void", pos, reference, transId: random.pick(world.sent.numbers()) };
  } else if (drawn > 0.98) message = { kind: "sale", pos, reference, amount: "10.00", inactive: true };
  else if (drawn < 0.27) message = { kind: "cashOut", pos, reference, amount: "20.00" };
  else message = { kind: "sale", pos, reference, amount: `${10 + random.below(3)}.00` };
  posPrograms.started.push(message);
  return message;
}

/** What can be played at all against this gateway. */
export interface Reach {
  /** Askers may give their waiting up: the model makes the Worker's part itself. */
  waits: boolean;
  /** There is a second account. */
  rebinds: boolean;
  /** Requests may be held up between the Worker and the object: over HTTP the Worker takes the time itself. */
  holdsUp: boolean;
  /**
   * How often hibernation is tried in histories that have it; it takes a second of real time against the real object.
   */
  hibernates: number;
  crashes: number;
  /** How many histories begin in a way that leads somewhere: the fewer there are, the more. */
  scripted: number;
}

type Traits = ReturnType<typeof drawTraits>;

type Disturbance = Traits["mixture"][number][0];

export function drawTraits(random: Random, leaky: boolean, reach: Reach) {
  const maybe = (probability: number, weight: number): number =>
    random.chance(probability) ? weight * (0.3 + 1.4 * random.next()) : 0;
  /** How often each kind of step is tried, by weight; 0: never in this history. */
  const mixture = {
    ask: 4 + 8 * random.next(),
    time: 3 + 6 * random.next(),
    hangUp: maybe(0.3, 1),
    cut: leaky ? 0 : maybe(0.3, 1),
    abandon: maybe(0.4, 1.5),
    end: maybe(0.5, 2),
    reconnect: leaky ? 3 : maybe(0.5, 2),
    swap: maybe(0.25, 1.5),
    scrap: maybe(0.04, 0.3),
    reboot: leaky ? 0 : maybe(0.3, 1),
    crash: leaky ? 0 : maybe(0.25, reach.crashes),
    hibernate: maybe(0.2, reach.hibernates),
    resolve: maybe(0.15, 1.5),
    suspend: maybe(0.1, 0.7),
    rebind: reach.rebinds ? maybe(0.1, 0.7) : 0,
    prepare: maybe(0.4, 3),
    forge: maybe(0.15, 1),
    reorder: maybe(0.15, 1),
    leak: leaky ? 2 : 0,
    stale: maybe(0.3, 1.5),
    heartbeat: maybe(0.3, 1),
  };
  const entries = Object.entries(mixture) as [keyof typeof mixture, number][];
  return {
    /** Only what happens at all, each with its weight. */
    mixture: entries.filter(([, weight]) => weight > 0),
    total: entries.reduce((sum, [, weight]) => sum + weight, 0),
    rebinds: mixture.rebind > 0,
    givesUp: reach.waits,
    /** How much of the time frames just flow and customers just pay. */
    smooth: 0.35 + 0.45 * random.next(),
    /** How often an alarm that is due does not come yet. */
    late: random.chance(0.3) ? 0.5 * random.next() : 0.02,
    /** How often a new request is refused by the terminal on its own account. */
    refuses: random.chance(0.2) ? 0.3 : 0,
    /** How often a POS repeats, asks and cancels, instead of starting something new. */
    nosy: leaky ? 0.6 : 0.2 + 0.6 * random.next(),
    /** Terminals take their time: what they work on goes beyond its end. */
    dawdles: random.chance(0.15),
    /** How often a new transaction is a void, if there is something to void. */
    voids: random.chance(0.15) ? 0.6 : 0.15,
    /** How often a terminal reports other money than it was asked for. */
    otherwise: random.chance(0.08) ? 0.3 : 0,
    skewed: random.chance(0.5),
    days: random.chance(0.06),
    /** How often a message is held up on its way to the object. */
    heldUp: reach.holdsUp && random.chance(0.2) ? 0.4 : 0,
  };
}

export function nextAction(world: World, posPrograms: PosPrograms, traits: Traits, random: Random): Action {
  const { alarmAt, now } = world;
  const { twin } = posPrograms;
  if (twin !== null) {
    posPrograms.twin = null;
    return { do: "ask", message: twin };
  }
  if (alarmAt !== null && alarmAt <= now && !random.chance(traits.late)) return { do: "alarm" };
  if (random.chance(traits.smooth)) {
    const action = flow(world, traits, random);
    if (action !== null) return action;
  }
  for (let tries = 0; tries < 8; tries++) {
    const action = disturb(world, posPrograms, traits, random);
    if (action !== null) return action;
  }
  return { do: "time", to: now + 1_000 };
}

/** Frames arrive, customers pay: one step of what is in progress. */
function flow(world: World, traits: Traits, random: Random): Action | null {
  const choices: Action[] = [];
  for (const line of world.network.lines) {
    if (line.up.length > 0 && !line.ended) choices.push({ do: "up", connection: line.id });
    if (line.left && line.down.length > 0 && world.canLeak(line) && random.chance(0.3)) {
      choices.push({ do: "leak", connection: line.id });
    }
  }
  for (const device of world.devices) {
    const line = world.network.lineOf(device);
    if (line !== null && line.down.length > 0) {
      const refuse = traits.refuses > 0 && line.down[0]?.type === "request" && random.chance(traits.refuses);
      if (refuse) choices.push({ do: "down", device: device.index, refuse: random.pick(["unsupported", "busy"]) });
      else choices.push({ do: "down", device: device.index });
    }
    if (device.scrapped) continue;
    for (const held of device.held.values()) {
      if (held.result === null ? !traits.dawdles || random.chance(0.1) : held.result === "22" && random.chance(0.4)) {
        const what = chooseWork(held, device.can("time-over", held, world.now), traits, random);
        choices.push({ do: "work", device: device.index, requestId: held.request.requestId, what });
      } else if (held.result !== null && random.chance(0.1)) {
        choices.push({ do: "work", device: device.index, requestId: held.request.requestId, what: "resend" });
      }
    }
  }
  if (nobodyIsThere(world)) {
    const device = random.pick(world.devices);
    if (!device.scrapped) choices.push({ do: "connect", device: device.index, skew: skew(traits, random) });
  }
  for (let ask = 0; ask < world.askers.length; ask++) {
    const asker = world.askers[ask];
    if (asker?.state === "broken") choices.push({ do: "resubmit", ask });
  }
  return choices.length === 0 ? null : random.pick(choices);
}

function nobodyIsThere(world: World): boolean {
  for (const device of world.devices) {
    const line = world.network.lineOf(device);
    if (line !== null && !line.cut) return false;
  }
  return true;
}

function chooseWork(held: Held, timeOver: boolean, traits: Traits, random: Random): Work {
  if (held.result === "22") return random.chance(held.charged ? 0.75 : 0.4) ? "clear-00" : "clear-11";
  if (timeOver && random.chance(0.8)) return "time-over";
  const drawn = random.next();
  if (!held.atHost) return drawn < 0.8 ? "present" : drawn < 0.9 ? "progress" : "customer-cancels";
  if (random.chance(traits.otherwise)) return "approve-otherwise";
  if (drawn < 0.5) return "approve";
  if (drawn < 0.68) return "decline";
  if (drawn < 0.8) return "approve-unheard";
  return drawn < 0.93 ? "unheard" : "approve-reverse";
}

/** A device's clock: right, ahead by up to half a minute, or behind by as much as the design allows. */
function skew(traits: Traits, random: Random): number {
  if (!traits.skewed) return 0;
  return random.chance(0.5) ? random.below(5_000) : -random.below(30_000);
}

function disturb(world: World, posPrograms: PosPrograms, traits: Traits, random: Random): Action | null {
  let drawn = random.next() * traits.total;
  for (const [name, weight] of traits.mixture) {
    drawn -= weight;
    if (drawn < 0) return disturbBy(name, world, posPrograms, traits, random);
  }
  return null;
}

function disturbBy(
  name: Disturbance,
  world: World,
  posPrograms: PosPrograms,
  traits: Traits,
  random: Random,
): Action | null {
  const device = random.chance(0.8) ? world.devices[0] : random.pick(world.devices);
  switch (name) {
    case "ask": {
      const message = chooseMessage(world, posPrograms, traits, random);
      const drawn = random.next();
      if (random.chance(traits.heldUp)) return { do: "ask", message, heldUp: heldUp(random) };
      if (drawn < 0.1) return { do: "ask", message, detached: true };
      if (drawn < 0.15) {
        const { pos, reference } = message;
        posPrograms.twin = random.chance(0.5) ? message : { kind: "cancel", pos, reference };
        return { do: "ask", message, together: true };
      }
      return { do: "ask", message };
    }
    case "time":
      return passTime(world, traits, random);
    case "hangUp": {
      if (world.askers.length === 0) return null;
      const ask = random.below(world.askers.length);
      if (world.askers[ask]?.state !== "waiting") return null;
      return { do: traits.givesUp && random.chance(0.4) ? "give-up" : "hang-up", ask };
    }
    case "cut":
      return onLine(world, random, ({ ended, cut }) => !ended && !cut, "cut");
    case "abandon": {
      const connected = world.devices.filter(({ connection }) => connection !== null);
      return connected.length === 0 ? null : { do: "abandon", device: random.pick(connected).index };
    }
    case "end":
      return onLine(world, random, ({ ended, left, cut }) => !ended && (left || cut || random.chance(0.2)), "end");
    case "reconnect":
      return device.scrapped ? null : { do: "connect", device: device.index, skew: skew(traits, random) };
    case "swap": {
      const other = world.devices.find(({ connection, scrapped }) => connection === null && !scrapped);
      return other === undefined ? null : { do: "connect", device: other.index, skew: skew(traits, random) };
    }
    case "scrap":
      return world.devices.some(({ scrapped }) => scrapped) ? null : { do: "scrap", device: device.index };
    case "reboot":
      return { do: "reboot", device: device.index };
    case "crash":
    case "hibernate":
      return { do: name };
    case "resolve": {
      const ids = world.sent.numbers();
      return ids.length === 0
        ? null
        : { do: "resolve", requestId: random.pick(ids), statusCode: random.pick(["00", "11"] as const) };
    }
    case "suspend":
      return { do: "suspend", pos: "P" };
    case "prepare":
      return { do: "prepare", pos: random.chance(0.8) ? world.boundTo : "Q" };
    case "rebind":
      return { do: "rebind", pos: world.boundTo === "P" ? "Q" : "P" };
    case "forge": {
      const frame = forged(world, random);
      return frame === null ? null : { do: "forge", device: device.index, frame };
    }
    case "reorder":
      return onLine(world, random, ({ up }) => up.length > 1, "reorder");
    case "leak":
      return onLine(world, random, ({ left, down }) => left && down.length > 0, "leak");
    case "stale": {
      const line = pickLine(world, random, ({ left, down }) => left && down.length > 0);
      const reasons = ["expired", "busy", "unsupported", "unbound"] as const;
      return line === null ? null : { do: "stale-refusal", connection: line.id, reason: random.pick(reasons) };
    }
    case "heartbeat":
      return { do: "heartbeat", device: device.index };
  }
}

/** A moment, a delay that leaves just enough time, or any delay; or the Worker's clock is ahead. */
function heldUp(random: Random): number {
  const drawn = random.next();
  if (drawn < 0.3) return random.below(9_000);
  if (drawn < 0.6) return random.pick([0, 50_000]) + random.below(12_000);
  return drawn < 0.8 ? random.below(110_000) : -random.below(60_000);
}

function pickLine(world: World, random: Random, fits: (line: Line) => boolean): Line | null {
  const lines = world.network.lines.filter(fits);
  return lines.length === 0 ? null : random.pick(lines);
}

function onLine(
  world: World,
  random: Random,
  fits: (line: Line) => boolean,
  what: "cut" | "end" | "leak" | "reorder",
): Action | null {
  const line = pickLine(world, random, fits);
  return line === null ? null : { do: what, connection: line.id };
}

/** To the next alarm, a little, a lot, or to the moment when a terminal ends by itself. */
function passTime(world: World, traits: Traits, random: Random): Action {
  const { now, alarmAt } = world;
  const drawn = random.next();
  let to = now + 1 + random.below(2_000);
  if (drawn < 0.35 && alarmAt !== null) to = alarmAt;
  else if (drawn < 0.5) to = now + 3_000 + random.below(9_000);
  else if (drawn < 0.65) {
    // The terminal's own end of what it works on, the request's end, or the moments around the lane's.
    const after = random.pick([0, RESPOND_BEFORE_END, RESPOND_BEFORE_END + 5_000, RESPOND_BEFORE_END + LANE_AFTER_END]);
    for (const device of world.devices) {
      const held = device.active();
      if (held !== null) to = Math.max(to, held.request.respondBy + (after === 0 ? device.lag : after));
    }
  } else if (drawn < 0.75) to = now + 12_000 + random.below(30_000);
  else if (drawn < 0.81) to = now + 60_000 + random.below(60_000);
  else if (traits.days && drawn < 0.86) to = now + 25 * 3_600_000;
  // The alarm comes in time, mostly.
  if (alarmAt !== null && alarmAt > now && alarmAt < to && !random.chance(traits.late)) to = alarmAt;
  return { do: "time", to };
}

/** Frames that no duty accounts for: reports out of nothing, repeated reports, signatures that do not hold. */
function forged(world: World, random: Random): UpFrame | null {
  const ids = world.sent.numbers();
  const anId = ids.length === 0 || random.chance(0.4) ? 9_000_000_000 : random.pick(ids);
  const statusCode = random.pick(["00", "11", "22"] as const);
  const drawn = random.next();
  if (drawn < 0.4) return { type: "result", requestId: anId, statusCode, forged: true };
  const requestId = 9_000_000_000 + random.below(5);
  if (drawn < 0.55) return { type: "result", requestId, statusCode };
  if (drawn < 0.7) return { type: "accepted", requestId, attempt: 1 };
  if (drawn < 0.8) return { type: "progress", requestId, stage: "present" };
  if (drawn < 0.9) return { type: "refused", requestId, attempt: 1, reason: "unknown" };
  // Said before, and said again: the terminal has it.
  for (const device of world.devices) {
    for (const held of device.held.values()) {
      if (device.connection !== null) return { type: "accepted", requestId: held.request.requestId, attempt: 1 };
    }
  }
  return null;
}
