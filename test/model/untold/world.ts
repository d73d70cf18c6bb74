/**
 * An object that owes others what it knows, and those others: D1, and objects that may be busy. Every call outwards may be
 * refused, lost, lost after it was carried out, carried out late, or twice; the object may be reset at any moment, and its
 * turns may fail.
 */
import { Database } from "../../../src/objects/untold/database.ts";
import type { Answer, Owing } from "../../../src/objects/untold/decisions.ts";
import type { Standing } from "../../../src/storage/generation.ts";
import { Objects } from "../../../src/objects/untold/objects.ts";
import { Teller } from "../../../src/objects/untold/teller.ts";
import { OWING, OWING_COLUMNS, Untold, UNTOLD_TABLE } from "../../../src/objects/storage/untold.ts";
import { OwnRow, plain } from "../../../src/objects/storage/one-row.ts";
import { TurnSql } from "../../../src/objects/storage/turn-sql.ts";
import { Turns } from "../../../src/objects/turns.ts";
import { MemoryStorage } from "../../support/memory-storage.ts";
import type { Random } from "../random.ts";

const STEPS = [
  {
    id: "0001_model",
    additive: false,
    sql: `ALTER TABLE migrations ADD COLUMN additive INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE own (only INTEGER PRIMARY KEY CHECK (only = 1), value INTEGER NOT NULL, ${OWING_COLUMNS.join(", ")});
      ${UNTOLD_TABLE}`,
  },
];

const FIELDS = { value: plain<number>("value", 0), owing: OWING };

/** How a call outwards goes. */
export type Fate = "works" | "refused" | "lost" | "answer lost" | "late" | "twice";

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
export class Receivers {
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
export class ModelObject {
  readonly #storage: MemoryStorage;
  readonly #turns: Turns;
  readonly #own: Own;
  readonly untold: Untold;
  #isDead = false;
  /** The next turn's rows cannot be written. */
  turnFails = false;

  constructor(storage: MemoryStorage, receivers: Receivers) {
    this.#storage = storage;
    const sql = new TurnSql(storage.sql);
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
      sql,
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
    turns.alarmIsAt(storage.alarm);
  }

  get value(): number {
    return this.#own.record?.value ?? 0;
  }

  get alarm(): number | null {
    return this.#storage.alarm;
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
    this.#storage.alarm = null;
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

export function newStorage(): MemoryStorage {
  return new MemoryStorage(STEPS);
}

const FATES: readonly Fate[] = ["works", "works", "refused", "lost", "answer lost", "late", "twice"];

export function fateOf(random: Random): Fate {
  return random.pick(FATES);
}
