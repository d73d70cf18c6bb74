/**
 * The end of every history: the faults stop, each device comes back with its memory, and time passes. Then nothing may be
 * open that a device held or never took, and every POS must be able to learn the truth by asking in any way it has.
 */
import type { Device } from "./device.ts";
import { Violation } from "./oracle.ts";
import type { Random } from "../../src/sdk/simulator/random.ts";
import { keyOf, type Action, type Work } from "./vocabulary.ts";
import type { World } from "./world.ts";

/** More steps than any ending needs: a history that exceeds them never ends. */
const MOST_STEPS = 2_000;

/** Alarms that come later are housekeeping, which no transaction waits for. */
const SOON = 10 * 60_000;

export function* ending(world: World, random: Random): Generator<Action> {
  let steps = 0;
  for (const action of allOf(world, random)) {
    if (++steps > MOST_STEPS) throw new Violation("liveness", `no end after ${MOST_STEPS} steps`);
    yield action;
  }
  for (const { state, message } of world.askers) {
    if (state !== "answered") throw new Violation("I3", `${JSON.stringify(message)} is never answered`);
  }
}

function* allOf(world: World, random: Random): Generator<Action> {
  for (const device of world.devices) yield* turnOf(world, device, random);
  yield* untilQuiet(world, random, present(world));
  yield* askFor(world, random);
}

/** A device that is not gone permanently. */
function present(world: World): Device | undefined {
  return world.devices.find(({ scrapped }) => !scrapped);
}

/** One device is there, and does what it has to do until nothing is left. */
function* turnOf(world: World, device: Device, random: Random): Generator<Action> {
  for (const other of world.devices) {
    if (other !== device && other.connection !== null) yield { do: "abandon", device: other.index };
  }
  const wasThere = world.network.lines.some((line) => line.device === device);
  if (!device.scrapped && wasThere) yield* untilQuiet(world, random, device);
}

/** Frames arrive, customers pay, alarms come, until nothing is left to happen. */
function* untilQuiet(world: World, random: Random, device: Device | undefined): Generator<Action> {
  if (device === undefined) return;
  for (;;) {
    const now = anythingNow(world, random, device);
    if (now !== null) yield now;
    else if (world.alarmAt !== null && world.alarmAt <= world.now + SOON) {
      if (world.alarmAt > world.now) yield { do: "time", to: world.alarmAt };
      yield { do: "alarm" };
    } else return;
  }
}

function anythingNow(world: World, random: Random, device: Device): Action | null {
  for (const line of world.network.lines) {
    if (line.ended) continue;
    if (line.up.length > 0) return { do: "up", connection: line.id };
    if (line.left || line.cut) return { do: "end", connection: line.id };
  }
  const ask = world.askers.findIndex(({ state }) => state === "broken");
  if (ask >= 0) return { do: "resubmit", ask };
  if (device.scrapped) return null;
  const line = world.network.lineOf(device);
  if (line === null) return { do: "connect", device: device.index, skew: 0 };
  if (line.down.length > 0) return { do: "down", device: device.index };
  for (const held of device.held.values()) {
    const { requestId } = held.request;
    const work = (what: Work): Action => ({ do: "work", device: device.index, requestId, what });
    if (held.result === "22") return work(held.charged || random.chance(0.5) ? "clear-00" : "clear-11");
    if (held.result !== null) continue;
    if (device.can("time-over", held, world.now)) return work("time-over");
    if (!held.atHost) return work(random.chance(0.8) ? "present" : "customer-cancels");
    return work(random.chance(0.6) ? "approve" : "decline");
  }
  return null;
}

/** The POS asks in every way it has; the oracle compares each answer with what was shown and with the truth. */
function* askFor(world: World, random: Random): Generator<Action> {
  const device = present(world);
  const seen = new Set<string>();
  let number = 0;
  for (const message of world.started) {
    const key = keyOf(message.pos, message.reference);
    if (seen.has(key)) continue;
    seen.add(key);
    const first = world.askers.length;
    const reference = `z${++number}`;
    yield { do: "ask", message: { kind: "inquiry", pos: message.pos, reference, named: message.reference } };
    yield { do: "ask", message: { kind: "inquiry", pos: message.pos, reference: message.reference } };
    yield { do: "ask", message };
    yield* untilQuiet(world, random, device);
    const inquiry = world.askers[first];
    if (inquiry?.answer?.kind === "status") judgeEnd(world, key, inquiry.answer.statusCode);
  }
  for (const pos of new Set(world.started.map((message) => message.pos))) {
    yield { do: "ask", message: { kind: "getLast", pos, reference: `z${++number}` } };
    yield* untilQuiet(world, random, device);
  }
}

function judgeEnd(world: World, key: string, statusCode: string): void {
  if (statusCode !== "22") return;
  const book = world.oracle.book(key);
  // The operator has to look: other money than asked for, or a device that never came back.
  if (book.contradicted || world.sent.wentToScrapped(key)) return;
  throw new Violation("liveness", `${key} is still open`);
}
