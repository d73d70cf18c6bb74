/**
 * What an object owes others reaches them, whatever fails: tellings that are refused, lost, carried out late, twice or after
 * newer ones; resets at any moment, turns that fail, storage that is lost, receivers that are busy, rows that D1 refuses. In
 * the end, when everything works again, every receiver knows the present state, nothing older overwrote it, and every audit
 * row is there exactly once, in order.
 *
 * UNTOLD_SEED and UNTOLD_HISTORIES choose the histories.
 */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { TOLD_AT_ONCE } from "../../../src/objects/limits.ts";
import { historySeed, type Random, randomOf } from "../random.ts";
import { fateOf, ModelObject, newStorage, Receivers } from "./world.ts";

const MINUTE = 60_000;
const START = Date.parse("2031-05-10T12:00:00Z");

const [seed, histories] = [Number(process.env["UNTOLD_SEED"] ?? 1), Number(process.env["UNTOLD_HISTORIES"] ?? 300)];

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(START);
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

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
  #restores = 0;
  readonly log: string[] = [];
  /** What D1 has after the last reset, without a further change, and what it must have; null: unknown. */
  toldAfterReset: number | null = null;
  valueAfterReset = 0;

  constructor(random: Random) {
    this.#random = random;
    this.receivers.fate = () => fateOf(random);
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
    else if (chance < 0.55) this.restore();
    else if (chance < 0.6) receivers.busy = new Set(NAMES.filter(() => this.#random.chance(0.3)));
    else if (chance < 0.65) receivers.poison = this.entries.at(-1) ?? null;
    else if (chance < 0.8) receivers.pending.splice(this.#random.below(receivers.pending.length + 1), 1)[0]?.();
    this.object.turnFails = false;
    if (this.#random.chance(0.6)) await this.pass(Math.floor(this.#random.next() ** 3 * 10 * MINUTE));
  }

  change(names: readonly string[]): void {
    this.value++;
    const isDone = this.object.change(this.value, names);
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

  /** D1 has what it had some time ago. The object finds that when it tells D1 something. */
  restore(): void {
    const { state } = this.receivers;
    const value = this.#random.below(state.value + 1);
    this.log.push(`restored to ${value}`);
    this.#restores++;
    Object.assign(state, { value, version: value === 0 ? 0 : state.version - 1 });
  }

  /** The object starts without anything; what it knew and had not told is lost. */
  async loseStorage(): Promise<void> {
    this.log.push("storage lost");
    this.storage = newStorage();
    this.reset();
    // What was not told by now may be lost.
    this.entries = this.receivers.audit.slice();
    // Versions are times: the object that starts anew is later.
    await vi.advanceTimersByTimeAsync(1_000);
  }

  /** Everything works again, and what was in transit arrives. */
  async end(): Promise<void> {
    const { receivers } = this;
    receivers.fate = () => "works";
    receivers.busy = new Set();
    receivers.poison = null;
    for (const late of receivers.pending.splice(0)) late();
    this.reset();
    await this.pass(60 * MINUTE);
    // A lost storage owes nothing; a restored D1 is not heard of yet.
    this.toldAfterReset = this.object.value === 0 || this.#restores > 0 ? null : receivers.state.value;
    this.valueAfterReset = this.object.value;
    this.change(NAMES);
    await this.pass(60 * MINUTE);
    // The keeper has noticed, or the object finds it itself.
    this.restore();
    if (this.#random.chance(0.5)) this.object.retell((receivers.generation = "of the keeper"));
    else this.audit();
    await this.pass(60 * MINUTE);
  }
}

describe("what an object owes", () => {
  it(`reaches everybody in ${histories} histories of seed ${seed}`, { timeout: 120_000 }, async ({ expect }) => {
    for (let index = 0; index < histories; index++) {
      vi.setSystemTime(START + index * 1_000_000_000);
      const random = randomOf(historySeed(seed, index));
      vi.spyOn(Math, "random").mockImplementation(random.next);
      const history = new History(random);
      for (let step = 0; step < 30; step++) await history.step();
      await history.end();
      const { receivers, object, value } = history;
      const about = [`history ${index}`, ...history.log].join("\n");
      expect(receivers.overwritten, about).toEqual([]);
      expect(history.toldAfterReset ?? history.valueAfterReset, about).toBe(history.valueAfterReset);
      expect(receivers.state.value, about).toBe(value);
      expect(
        [...receivers.objects.values()].map((known) => known.value),
        about,
      ).toEqual(NAMES.map(() => value));
      expect(new Set(receivers.audit).size, about).toBe(receivers.audit.length);
      expect(receivers.audit, about).toEqual(expect.arrayContaining(history.entries));
      expect([object.untold.of(""), object.alarm], about).toEqual([[], null]);
    }
  });
});

describe("receivers that do not answer", () => {
  it("hold up all others for one timeout, and go last from then on", async ({ expect }) => {
    const history = new History(randomOf(1));
    const { receivers } = history;
    receivers.fate = () => "works";
    const names = Array.from({ length: 3 * TOLD_AT_ONCE }, (_, index) => `T-${index}`);
    receivers.silent = new Set(names.slice(0, TOLD_AT_ONCE));
    history.change(names);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(receivers.objects.size).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(receivers.objects.size).toBe(2 * TOLD_AT_ONCE);
    expect(history.object.untold.of("account:")).toHaveLength(TOLD_AT_ONCE);
    receivers.silent.clear();
    await history.pass(MINUTE);
    expect(receivers.objects.size).toBe(names.length);
  });
});

describe("a row that D1 refuses", () => {
  it("waits alone: everything else arrives, and D1 says since when something is missing", async ({ expect }) => {
    const history = new History(randomOf(1));
    const { receivers } = history;
    receivers.fate = () => "refused";
    history.change([]);
    for (let entry = 1; entry <= 20; entry++) history.audit();
    await vi.advanceTimersByTimeAsync(1);
    receivers.fate = () => "works";
    receivers.poison = 7;
    await history.pass(MINUTE);
    expect(receivers.audit).toEqual(history.entries.filter((entry) => entry !== 7));
    expect(receivers.state.value).toBe(1);
    // Once for each attempt; how many there are in a minute is chance.
    expect(new Set(receivers.reported)).toEqual(new Set([START]));
    history.audit();
    await vi.advanceTimersByTimeAsync(1);
    expect(receivers.audit.at(-1)).toBe(21);
    receivers.poison = null;
    await history.pass(20 * MINUTE);
    expect(receivers.audit).toHaveLength(21);
    expect(history.object.alarm).toBeNull();
  });
});
