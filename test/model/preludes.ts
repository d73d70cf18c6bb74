/** Beginnings that lead where chance alone rarely comes: from there on chance takes over. */
import { RESPOND_BEFORE_END } from "../../src/protocol/limits.ts";
import type { Reach, PosPrograms } from "./generator.ts";
import type { Random } from "../../src/sdk/simulator/random.ts";
import type { Action, Message, Work } from "./vocabulary.ts";
import type { World } from "./world.ts";
import { LANE_AFTER_END } from "../../src/gateway/terminal/lane/lane.ts";

type Beginning = Generator<Action>;

/** The first device connects, and its hello holds. */
function* greeting(world: World, skew = 0): Beginning {
  const connection = world.network.lines.length;
  yield { do: "connect", device: 0, skew };
  yield { do: "down", device: 0 };
  yield { do: "up", connection };
  yield { do: "down", device: 0 };
}

/** One of the beginnings, or just a hello, or nothing. */
export function* prelude(world: World, posPrograms: PosPrograms, random: Random, reach: Reach): Beginning {
  if (random.chance(0.05)) return;
  if (!random.chance(reach.scripted)) return yield* greeting(world);
  const beginnings = reach.hibernates > random.next() ? [...BEGINNINGS, hibernates] : BEGINNINGS;
  yield* random.pick(beginnings)(world, posPrograms, random);
}

const BEGINNINGS = [beyondItsEnd, helloComesLate, voided, cancelledOnTheWay, lateInItsLife, crashes];

function start(posPrograms: PosPrograms, message: Message): Action {
  posPrograms.started.push(message);
  return { do: "ask", message };
}

function sale(posPrograms: PosPrograms): Action {
  return start(posPrograms, { kind: "sale", pos: "P", reference: posPrograms.reference(), amount: "10.00" });
}

/** 0: none was sent, as the connection broke before. */
function newest(world: World): number {
  return Math.max(0, ...world.sent.numbers());
}

function work(world: World, what: Work): Action {
  return { do: "work", device: 0, requestId: newest(world), what };
}

/** Frames of the first device arrive, in both directions, until there are none. */
function* arrive(world: World): Beginning {
  for (;;) {
    const line = world.network.lineOf(world.devices[0]);
    if (line === null) return;
    if (line.up.length > 0) yield { do: "up", connection: line.id };
    else if (line.down.length > 0) yield { do: "down", device: 0 };
    else return;
  }
}

/** Alarms on the way come in time. */
function* passTime(world: World, to: number): Beginning {
  while (world.now < to) {
    const next = world.alarmAt !== null && world.alarmAt > world.now ? Math.min(world.alarmAt, to) : to;
    yield { do: "time", to: next };
    if (world.alarmAt !== null && world.alarmAt <= world.now) yield { do: "alarm" };
    yield* arrive(world);
  }
}

/** A terminal whose clock is behind still works when the request's end is over, and the next one is sent. */
function* beyondItsEnd(world: World, posPrograms: PosPrograms, random: Random): Beginning {
  yield* greeting(world, 14_000);
  yield sale(posPrograms);
  yield* arrive(world);
  yield work(world, "present");
  const held = world.devices[0].active();
  if (held === null) return;
  const end = held.request.respondBy + RESPOND_BEFORE_END;
  yield* passTime(world, end + random.below(LANE_AFTER_END));
  yield sale(posPrograms);
  if (random.chance(0.5)) yield sale(posPrograms);
  yield* passTime(world, end + LANE_AFTER_END + random.below(2_500));
}

/** A hello is held up; its device has long said another one, and was sent a request, when it arrives. */
function* helloComesLate(world: World, posPrograms: PosPrograms, random: Random): Beginning {
  yield { do: "connect", device: 0, skew: 0 };
  yield { do: "down", device: 0 };
  yield* greeting(world);
  const message = sale(posPrograms);
  yield message;
  if (random.chance(0.8)) yield { do: "down", device: 0 };
  yield { do: "abandon", device: 0 };
  yield { do: "end", connection: 1 };
  if (message.do === "ask" && random.chance(0.5)) {
    yield { do: "ask", message: { kind: "cancel", pos: "P", reference: message.message.reference } };
  }
  if (random.chance(0.5)) yield { do: "time", to: world.now + random.below(12_000) };
  yield { do: "up", connection: 0 };
  if (random.chance(0.6)) yield* waitUnread(world, 26_000);
}

function* voided(world: World, posPrograms: PosPrograms): Beginning {
  yield* greeting(world);
  yield sale(posPrograms);
  yield* arrive(world);
  yield work(world, "present");
  yield work(world, "approve");
  yield* arrive(world);
  yield start(posPrograms, { kind: "void", pos: "P", reference: posPrograms.reference(), transId: newest(world) });
  yield* arrive(world);
  yield work(world, "present");
  yield work(world, "approve");
}

/** A request is cancelled while it is stuck in a connection that is gone. */
function* cancelledOnTheWay(world: World, posPrograms: PosPrograms, random: Random): Beginning {
  yield* greeting(world);
  const message = sale(posPrograms);
  yield message;
  yield { do: "abandon", device: 0 };
  if (message.do === "ask" && random.chance(0.7)) {
    yield { do: "ask", message: { kind: "cancel", pos: "P", reference: message.message.reference } };
  }
  if (random.chance(0.5)) yield { do: "time", to: world.now + random.below(9_000) };
  if (random.chance(0.8)) yield* greeting(world);
}

/** A request comes late to the terminal: it has waited for the lane, and its connection has broken. */
function* lateInItsLife(world: World, posPrograms: PosPrograms, random: Random): Beginning {
  yield* greeting(world);
  yield sale(posPrograms);
  for (let times = 1 + random.below(7); times > 0; times--) {
    // Never accepted: every connection is given up after 10 s, and the next hello has it sent again.
    yield* waitUnread(world, 9_000 + random.below(2_000));
    yield* greeting(world);
  }
}

function crashes(world: World, posPrograms: PosPrograms, random: Random): Beginning {
  return objectGoes("crash", world, posPrograms, random);
}

function hibernates(world: World, posPrograms: PosPrograms, random: Random): Beginning {
  return objectGoes("hibernate", world, posPrograms, random);
}

/** The object dies, or sleeps, before a request or at some moment of it. */
function* objectGoes(how: "crash" | "hibernate", world: World, posPrograms: PosPrograms, random: Random): Beginning {
  yield* greeting(world);
  if (how === "hibernate" && random.chance(0.4)) {
    yield { do: how };
    yield sale(posPrograms);
    return yield* greeting(world);
  }
  yield sale(posPrograms);
  const line = world.network.lines.length - 1;
  const moment = random.below(6);
  if (moment > 0) yield { do: "down", device: 0 };
  if (moment > 1) yield { do: "up", connection: line };
  if (moment > 2) yield work(world, "present");
  if (moment > 3) yield work(world, random.pick(["approve", "unheard", "decline"]));
  if (moment > 4) yield { do: "up", connection: line };
  yield { do: how };
  if (how === "hibernate") yield* arrive(world);
  else if (random.chance(0.7)) yield* greeting(world);
}

/** Lets so many milliseconds pass, in which alarms fire and nothing is read. */
function* waitUnread(world: World, milliseconds: number): Beginning {
  const to = world.now + milliseconds;
  while (world.now < to) {
    yield { do: "time", to: Math.min(to, Math.max(world.alarmAt ?? to, world.now + 1)) };
    if (world.alarmAt !== null && world.alarmAt <= world.now) yield { do: "alarm" };
  }
}
