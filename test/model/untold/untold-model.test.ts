/**
 * What an object owes others reaches them, whatever fails: tellings that are refused, lost, carried out late, twice or after
 * newer ones; resets at any moment, turns that fail, storage that is lost, receivers that are busy, rows that D1 refuses. In
 * the end, when everything works again, every receiver knows the present state, nothing older overwrote it, and every audit
 * row is there exactly once, in order.
 *
 * UNTOLD_SEED and UNTOLD_HISTORIES choose the histories.
 */
import { historySeed } from "../environment.ts";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { type Random, randomOf } from "../../../src/simulator/random.ts";
import { TOLD_AT_ONCE } from "../../../src/objects/limits.ts";
import { OwnRow, plain } from "../../../src/objects/storage/rows.ts";
import { OWING, OWING_COLUMNS, UNTOLD_TABLE, Untold } from "../../../src/objects/storage/untold.ts";
import { Turns } from "../../../src/objects/turns.ts";
import { Database, Objects } from "../../../src/objects/untold/receivers.ts";
import { type Answer, type Owing, Teller } from "../../../src/objects/untold/teller.ts";
import type { Standing } from "../../../src/storage/objects.ts";
import { MemoryStorage } from "../../support/memory-storage.ts";

const STEPS = [
  {
    id: "0001_model",
    additive: false,
    sql: `CREATE TABLE own (only INTEGER PRIMARY KEY CHECK (only = 1), value INTEGER NOT NULL, ${OWING_COLUMNS.join(", ")});
      ${UNTOLD_TABLE}`,
  },
];

const FIELDS = { value: plain<number>("value", 0), owing: OWING };

/** How a call outwards goes. */
type Fate = "works" | "refused" | "lost" | "answer lost" | "late" | "twice";

/** A statement, as the model's D1 takes it. */
interface Statement {
  sql: string;
  values: unknown[];
}

/** What a receiver knows, and the version under which it was told. */
interface Known {
  value: number;
  version: number;
}

/** Everybody who is told. They outlive every reset. */
class Receivers {
  readonly state: Known = { value: 0, version: 0 };
  /** Of D1. */
  generation = "";
  readonly audit: number[] = [];
  readonly objects = new Map<string, Known>();
  /** Values that came after a higher one. */
  readonly overwritten: string[] = [];
  busy = new Set<string>();
  /** They never answer. */
  silent = new Set<string>();
  /** An audit row that D1 refuses. */
  poison: number | null = null;
  /** Since when D1 was said to lack something, for each attempt that it refused. */
  readonly reported: number[] = [];
  /** Calls that are carried out later. */
  readonly pending: (() => void)[] = [];
  fate: () => Fate = () => "works";

  takeState(version: number, value: number): void {
    if (version <= this.state.version) return;
    if (value < this.state.value) this.overwritten.push(`D1: ${this.state.value} by ${value}`);
    Object.assign(this.state, { version, value });
  }

  takeRow(id: string, version: number, value: number): Answer {
    if (this.busy.has(id)) return "later";
    const known = this.objects.get(id) ?? { value: 0, version: 0 };
    if (version > known.version) {
      if (value < known.value) this.overwritten.push(`${id}: ${known.value} by ${value}`);
      this.objects.set(id, { value, version });
    }
    return "taken";
  }

  /** All or nothing. */
  batch(statements: readonly Statement[]): Standing {
    const { generation } = this;
    const found = { generation, version: this.state.version === 0 ? null : this.state.version };
    if (statements.some(({ sql, values }) => sql.includes("audit_log") && entryOf(values) === this.poison)) {
      throw new Error("refused");
    }
    for (const { sql, values } of statements) {
      if (sql === "state") this.takeState(Number(values[0]), Number(values[1]));
      if (sql.includes("audit_log") && !this.#rows.has(Number(values.at(-1)))) {
        this.#rows.add(Number(values.at(-1)));
        this.audit.push(entryOf(values));
      }
    }
    return found;
  }

  readonly #rows = new Set<number>();

  /** Carries out a call as its fate has it. */
  async call<Result>(work: () => Result): Promise<Result> {
    const fate = this.fate();
    if (fate === "refused") throw new Error("refused");
    if (fate === "late") this.pending.push(() => attempt(work));
    if (fate === "late" || fate === "lost") return new Promise<Result>(() => undefined);
    const result = work();
    if (fate === "twice") this.pending.push(() => attempt(work));
    if (fate === "answer lost") throw new Error("the answer is lost");
    return result;
  }

  get database(): D1Database {
    const prepare = (sql: string) => ({
      bind: (...values: unknown[]) => ({
        sql,
        values,
        run: () => this.call(() => void this.reported.push(Number(values[1]))),
      }),
    });
    const batch = (statements: Statement[]) =>
      this.call(() => {
        const found = this.batch(statements);
        return statements.map((_statement, index) => ({ results: index === 0 ? [found] : [] }));
      });
    return { prepare, batch } as unknown as D1Database;
  }
}

function entryOf(values: readonly unknown[]): number {
  return (JSON.parse(String(values[4])) as { entry: number }).entry;
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // Nobody hears it.
  }
}

class Own extends OwnRow<typeof FIELDS> {
  readonly target = "model";
  get owing() {
    return this.record?.owing ?? OWING.initial;
  }
}

/** One instance of the object. */
class ModelObject {
  readonly #storage: MemoryStorage;
  readonly #turns: Turns;
  readonly #own: Own;
  readonly untold: Untold;
  #isDead = false;
  /** The next turn's rows cannot be written. */
  turnFails = false;

  constructor(storage: MemoryStorage, receivers: Receivers) {
    this.#storage = storage;
    const sql = storage.sql;
    const own = new Own(sql, "own", FIELDS);
    const untold = new Untold(sql, own);
    const context = { waitUntil: (promise: Promise<unknown>) => void promise.catch(() => undefined) };
    const value = () => own.record?.value ?? 0;
    const { database } = receivers;
    // One that has lost its storage has no state yet.
    const state = ({ owed }: Owing) => (value() === 0 ? [] : [database.prepare("state").bind(owed, value())]);
    const sources = [
      new Database({
        context,
        database,
        untold,
        kind: "terminal",
        id: () => "model",
        state,
        restored: async (generation) => {
          // The keeper gives D1 a new generation, unless it has.
          if (generation === receivers.generation) receivers.generation = `${generation}+`;
        },
      }),
      new Objects({
        untold,
        kind: "account",
        about: () => ({}),
        tell: async (id, { version }) => {
          const present = value();
          if (receivers.silent.has(id)) return new Promise(() => undefined);
          const answer = await receivers.call(() => receivers.takeRow(id, version, present));
          return () => answer;
        },
      }),
    ];
    const turns: Turns = new Turns({
      storage: {
        setAlarm: (at) => (this.#isDead ? Promise.resolve() : storage.setAlarm(at)),
        transactionSync: (work) => {
          if (this.#isDead) throw new Error("the object was reset");
          return storage.transactionSync(() => {
            const result = work();
            if (this.turnFails) throw new Error("the disk is full");
            return result;
          });
        },
      },
      participants: [own, untold],
      startWork: (now) => {
        if (!this.#isDead) teller.start(now);
      },
      nextDeadline: (now) => teller.nextDeadline(now),
    });
    const teller = new Teller({ context, turns, sources });
    this.#own = own;
    this.untold = untold;
    this.#turns = turns;
    turns.alarmIsAt(storage.kept.alarm);
  }

  get value(): number {
    return this.#own.record?.value ?? 0;
  }

  get alarm(): number | null {
    return this.#storage.kept.alarm;
  }

  /** The value grows; everybody lacks it. @returns whether the turn was not undone */
  change(value: number, objects: readonly string[]): boolean {
    return this.#try((now) => {
      if (this.#own.record === null) this.#own.create({});
      this.#own.update({ value });
      this.untold.owe(now);
      for (const id of objects) this.untold.put(`account:${id}`, "value", null, now);
    });
  }

  audit(entry: number): boolean {
    return this.#try((now) => {
      if (this.#own.record === null) this.#own.create({});
      this.untold.audit({ at: now, actor: "model", action: "terminal.secret", details: { entry } });
    });
  }

  /** D1 was restored. @returns whether the turn was not undone */
  retell(generation: string): boolean {
    return this.#try((now) => {
      if (this.#own.record === null) this.#own.create({});
      this.untold.retell(generation, now);
    });
  }

  ring(): void {
    this.#storage.kept.alarm = null;
    this.#turns.takeAlarm(() => null);
  }

  die(): void {
    this.#isDead = true;
  }

  #try(work: (now: number) => void): boolean {
    try {
      this.#turns.take(work);
      return true;
    } catch {
      return false;
    } finally {
      this.turnFails = false;
    }
  }
}

function newStorage(): MemoryStorage {
  return MemoryStorage.with(STEPS);
}

const FATES: readonly Fate[] = ["works", "works", "refused", "lost", "answer lost", "late", "twice"];

function fateOf(random: Random): Fate {
  return random.pick(FATES);
}

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
  /** By name, the newest value that it was owed in a turn that was not undone, since the storage was lost. */
  readonly #owed = new Map<string, number>();
  /** Who did not know what the object believed to have told, each with the moment. */
  readonly missed: string[] = [];
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
    this.#lookForMissed();
    if (this.#random.chance(0.6)) await this.pass(Math.floor(this.#random.next() ** 3 * 10 * MINUTE));
  }

  /** Whoever lacks something is still owed it, at any moment: a telling that failed is not taken for told. */
  #lookForMissed(): void {
    for (const [name, value] of this.#owed) {
      const known = this.receivers.objects.get(name)?.value ?? 0;
      if (known >= value || this.object.untold.of(`account:${name}`).length > 0) continue;
      this.missed.push(`${name} knows ${known}, not ${value}, after "${this.log.at(-1)}"`);
    }
  }

  change(names: readonly string[]): void {
    this.value++;
    const isDone = this.object.change(this.value, names);
    if (isDone) for (const name of names) this.#owed.set(name, this.value);
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
    this.#owed.clear();
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
    this.#lookForMissed();
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
      expect(history.missed, about).toEqual([]);
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
