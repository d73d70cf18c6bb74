/**
 * What an object enqueues reaches its receivers, whatever fails: deliveries that are refused, lost, carried out late, twice
 * or after newer ones; resets at any moment, turns that fail, storage that is lost, receivers that are busy, rows that D1
 * refuses. In the end, when everything works again, every receiver has the present state, nothing older overwrote it, and
 * every audit row is there exactly once.
 *
 * OUTBOX_SEED and OUTBOX_HISTORIES choose the histories.
 */
import { describe, it, vi } from "vitest";
import { DELIVERY_TIMEOUT, TARGETS_AT_ONCE } from "../../../../src/gateway/durable/outbox-dispatcher.ts";
import { type Random, createRandom } from "../../../../src/sdk/simulator/random.ts";
import { MINUTE, SECOND } from "../../../../src/protocol/time/units.ts";
import { historySeed } from "../../../model/environment.ts";
import {
  ascending,
  type Fate,
  ModelObject,
  newStorage,
  Receivers,
  START,
  useModelClock,
} from "../../../model/outbox/world.ts";

const FATES: readonly Fate[] = ["works", "works", "refused", "lost", "answer lost", "late", "twice"];

const [seed, histories] = [Number(process.env["OUTBOX_SEED"] ?? 1), Number(process.env["OUTBOX_HISTORIES"] ?? 100)];

useModelClock();

const NAMES = ["a", "b", "c"];

class History {
  readonly receivers = new Receivers();
  readonly #random: Random;
  storage = newStorage();
  object = new ModelObject(this.storage, this.receivers);
  value = 0;
  /** Audit entries whose turn was not undone, and how many there were. */
  entries: number[] = [];
  #audited = 0;
  readonly log: string[] = [];
  /** By name, the newest value that was enqueued for it in a turn that was not undone, since the storage was lost. */
  readonly #enqueued = new Map<string, number>();
  /** Who lacked what the object took for delivered, each with the moment. */
  readonly missed: string[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.receivers.fate = () => this.#random.pick(FATES);
  }

  /** Time passes, with every alarm at its time. */
  async pass(milliseconds: number): Promise<void> {
    const until = Date.now() + milliseconds;
    for (let alarms = 0; alarms < 10_000; alarms++) {
      const next = Math.min(until, Math.max(this.object.alarm ?? Infinity, Date.now()));
      await vi.advanceTimersByTimeAsync(next - Date.now());
      if ((this.object.alarm ?? Infinity) <= Date.now()) this.object.ring();
      else if (next >= until) return;
      await vi.advanceTimersByTimeAsync(0);
    }
    throw new Error("the alarm loops");
  }

  async step(): Promise<void> {
    const chance = this.#random.next();
    const { receivers } = this;
    this.object.turnFails = this.#random.chance(0.1);
    if (chance < 0.3) this.change(NAMES.filter(() => this.#random.chance(0.5)));
    else if (chance < 0.4) this.audit();
    else if (chance < 0.5) this.reset();
    else if (chance < 0.53) await this.loseStorage();
    else if (chance < 0.6) receivers.busy = new Set(NAMES.filter(() => this.#random.chance(0.3)));
    else if (chance < 0.65) receivers.poison = this.entries.at(-1) ?? null;
    else if (chance < 0.8) receivers.pending.splice(this.#random.below(receivers.pending.length + 1), 1)[0]?.();
    this.object.turnFails = false;
    this.#lookForMissed();
    if (this.#random.chance(0.6)) await this.pass(Math.floor(this.#random.next() ** 3 * 10 * MINUTE));
  }

  /** Whoever lacks something has an entry, at any moment: a delivery that failed is not taken for one that did not. */
  #lookForMissed(): void {
    for (const [name, value] of this.#enqueued) {
      const received = this.receivers.objects.get(name)?.value ?? 0;
      if (received >= value || this.object.outbox.find({ target: `account:${name}`, kind: "value" }) !== null) continue;
      this.missed.push(`${name} has ${received}, not ${value}, after "${this.log.at(-1)}"`);
    }
  }

  change(names: readonly string[]): void {
    this.value++;
    const isDone = this.object.change(this.value, names);
    if (isDone) for (const name of names) this.#enqueued.set(name, this.value);
    this.log.push(`change to ${this.value} for ${names.join()}: ${isDone}`);
  }

  audit(): void {
    const entry = ++this.#audited;
    if (this.object.audit(entry)) this.entries.push(entry);
    this.log.push(`audit ${entry}`);
  }

  reset(): void {
    this.log.push("reset");
    this.object.die();
    this.object = new ModelObject(this.storage, this.receivers);
  }

  /** The object starts without anything; what was not delivered is lost. */
  async loseStorage(): Promise<void> {
    this.log.push("storage lost");
    this.storage = newStorage();
    this.reset();
    this.#enqueued.clear();
    this.entries = this.receivers.audit.slice();
    // Versions are times: the object that starts anew is later.
    await vi.advanceTimersByTimeAsync(SECOND);
  }

  /** Everything works again, and what was in transit arrives. */
  async heal(): Promise<void> {
    const { receivers } = this;
    receivers.fate = () => "works";
    receivers.busy = new Set();
    receivers.poison = null;
    for (const late of receivers.pending.splice(0)) late();
    this.reset();
    await this.pass(60 * MINUTE);
    this.#lookForMissed();
  }
}

describe("an outbox", () => {
  it(`reaches everybody in ${histories} histories of seed ${seed}`, { timeout: 120_000 }, async ({ expect }) => {
    for (let index = 0; index < histories; index++) {
      vi.setSystemTime(START + index * 1_000_000_000);
      const random = createRandom(historySeed(seed, index));
      vi.spyOn(Math, "random").mockImplementation(random.next);
      const history = new History(random);
      for (let step = 0; step < 30; step++) await history.step();
      await history.heal();
      const { receivers } = history;
      const about = [`history ${index}`, ...history.log].join("\n");
      // Without a further change, unless the storage was lost, and with it the state.
      if (history.object.value() > 0) expect(receivers.state.value, about).toBe(history.object.value());
      history.change(NAMES);
      await history.pass(60 * MINUTE);
      const [rows, value] = [random.below(receivers.audit.length + 1), random.below(receivers.state.value + 1)];
      receivers.restore(value, rows);
      const before = receivers.audit.slice(0, rows);
      history.object.resync();
      await history.pass(60 * MINUTE);
      expect(receivers.overwritten, about).toEqual([]);
      expect(history.missed, about).toEqual([]);
      expect(receivers.state.value, about).toBe(history.value);
      expect(
        [...receivers.objects.values()].map((received) => received.value),
        about,
      ).toEqual(NAMES.map(() => history.value));
      expect(receivers.audit.slice(0, rows), about).toEqual(before);
      expect(new Set(receivers.audit).size, about).toBe(receivers.audit.length);
      const isRemembered = history.log.every((line) => line !== "storage lost");
      if (isRemembered) expect(receivers.audit.toSorted(ascending), about).toEqual(history.entries);
      expect([history.object.outbox.waiting(), history.object.alarm], about).toEqual([
        { entries: 0, oldest: null },
        null,
      ]);
    }
  });
});

describe("receivers that do not answer", () => {
  it("delay all others by one timeout, and go last from then on", async ({ expect }) => {
    const history = new History(createRandom(1));
    const { receivers } = history;
    receivers.fate = () => "works";
    const names = Array.from({ length: 3 * TARGETS_AT_ONCE }, (_, index) => `T-${index}`);
    receivers.silent = new Set(names.slice(0, TARGETS_AT_ONCE));
    history.change(names);
    await vi.advanceTimersByTimeAsync(DELIVERY_TIMEOUT - 1);
    expect(receivers.objects.size).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(receivers.objects.size).toBe(2 * TARGETS_AT_ONCE);
    expect(history.object.outbox.waiting().entries).toBe(TARGETS_AT_ONCE);
    receivers.silent.clear();
    await history.pass(MINUTE);
    expect(receivers.objects.size).toBe(names.length);
  });
});

describe("a row that D1 refuses", () => {
  it("waits alone while every other row arrives", async ({ expect }) => {
    const history = new History(createRandom(1));
    const { receivers } = history;
    receivers.fate = () => "refused";
    history.change([]);
    for (let entry = 1; entry <= 20; entry++) history.audit();
    await vi.advanceTimersByTimeAsync(1);
    receivers.fate = () => "works";
    receivers.poison = 7;
    await history.pass(MINUTE);
    expect(receivers.audit.toSorted(ascending)).toEqual(history.entries.filter((entry) => entry !== 7));
    expect(receivers.state.value).toBe(1);
    history.audit();
    await vi.advanceTimersByTimeAsync(1);
    expect(receivers.audit.at(-1)).toBe(21);
    receivers.poison = null;
    await history.pass(20 * MINUTE);
    expect(receivers.audit).toHaveLength(21);
    expect(history.object.alarm).toBeNull();
  });
});
