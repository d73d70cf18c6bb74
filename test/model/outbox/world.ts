/** An object with an outbox, and the receivers of its entries: D1, and three other objects. */
import { afterEach, beforeEach, vi } from "vitest";
import type { AuditEntry } from "../../../src/gateway/d1/audit.ts";
import { Turns } from "../../../src/gateway/durable/turns.ts";
import { D1, type DeliveryAnswer, Outbox, OUTBOX_TABLES } from "../../../src/gateway/durable/storage/outbox.ts";
import { OutboxDispatcher } from "../../../src/gateway/durable/outbox-dispatcher.ts";
import { databaseReceiver } from "../../../src/gateway/durable/outbox-database.ts";
import { MemoryStorage } from "../../support/memory-storage.ts";

const STEPS = [
  {
    id: "0001_model",
    additive: false,
    sql: `CREATE TABLE own (only INTEGER PRIMARY KEY, value INTEGER NOT NULL) STRICT; ${OUTBOX_TABLES}`,
  },
];

/** How a call to a receiver goes. */
export type Fate = "works" | "refused" | "lost" | "answer lost" | "late" | "twice";

/** A statement, as the model's D1 takes it. */
interface Statement {
  sql: string;
  values: unknown[];
}

/** What a receiver has, and under which version. */
interface Received {
  value: number;
  version: number;
}

function prepare(sql: string) {
  return { bind: (...values: unknown[]) => ({ sql, values, run: async () => ({}) }) };
}

/** They outlive every reset of the object. */
export class Receivers {
  readonly state: Received = { value: 0, version: 0 };
  readonly objects = new Map<string, Received>();
  /** The entries of the audit log, in the order in which D1 has them. */
  readonly audit: number[] = [];
  readonly #auditNumbers = new Set<number>();
  /** Values that were replaced by lower ones. */
  readonly overwritten: string[] = [];
  busy = new Set<string>();
  /** They never answer. */
  silent = new Set<string>();
  /** An audit entry that D1 refuses. */
  poison: number | null = null;
  /** Calls that are carried out later. */
  readonly pending: (() => void)[] = [];
  /** How many entries each call to D1 had. */
  readonly batches: number[] = [];
  fate: () => Fate = () => "works";

  takeEntry(id: string, version: number, value: number): DeliveryAnswer {
    if (this.busy.has(id)) return "busy";
    this.#take(id, this.objects.get(id) ?? { value: 0, version: 0 }, { value, version });
    return "delivered";
  }

  /** All or nothing. */
  takeBatch(statements: readonly Statement[]): void {
    if (statements.some(({ sql, values }) => isAudit(sql) && entryOf(values) === this.poison)) {
      throw new Error("D1 refuses this row");
    }
    for (const { sql, values } of statements) {
      const [version, value] = [Number(values[0]), Number(values[1])];
      if (sql === "state") this.#take(D1, this.state, { version, value });
      if (!isAudit(sql)) continue;
      if (!this.#auditNumbers.has(Number(values.at(-1)))) {
        this.#auditNumbers.add(Number(values.at(-1)));
        this.audit.push(entryOf(values));
      }
    }
  }

  /** D1 has what it had before. */
  restore(value: number, audit: number): void {
    Object.assign(this.state, { value, version: value === 0 ? 0 : this.state.version - 1 });
    const numbers = [...this.#auditNumbers].slice(0, audit);
    this.#auditNumbers.clear();
    for (const number of numbers) this.#auditNumbers.add(number);
    this.audit.splice(audit);
  }

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
    const batch = (statements: Statement[]) =>
      this.call(() => {
        this.batches.push(statements.length);
        this.takeBatch(statements);
        return statements.map(() => ({ results: [] }));
      });
    return { prepare, batch } as unknown as D1Database;
  }

  #take(name: string, before: Received, next: Received): void {
    if (next.version <= before.version) return;
    if (next.value < before.value) this.overwritten.push(`${name}: ${before.value} by ${next.value}`);
    if (name === D1) Object.assign(this.state, next);
    else this.objects.set(name, next);
  }
}

function isAudit(sql: string): boolean {
  return sql.includes("audit_log");
}

function entryOf(values: readonly unknown[]): number {
  return (JSON.parse(String(values[4])) as AuditEntry["details"] & { entry: number }).entry;
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // It reaches nobody.
  }
}

/** One instance of the object. Its state is one number, which everybody must have. */
export class ModelObject {
  readonly #storage: MemoryStorage;
  readonly #turns: Turns;
  readonly outbox: Outbox;
  #isDead = false;
  /** The next turn's rows cannot be written. */
  turnFails = false;

  /** @param onWrite is called before each statement that may write, and may throw */
  constructor(storage: MemoryStorage, receivers: Receivers, onWrite: (query: string) => void = () => undefined) {
    this.#storage = storage;
    const exec = storage.sql.exec.bind(storage.sql);
    const sql = {
      exec: (query: string, ...values: unknown[]) => {
        this.#check();
        if (!query.startsWith("SELECT")) onWrite(query);
        return exec(query, ...values);
      },
    } as SqlStorage;
    const outbox = new Outbox(sql, () => "model");
    const context = { waitUntil: (promise: Promise<unknown>) => void promise.catch(() => undefined) };
    const { database } = receivers;
    const value = (): number => sql.exec<{ value: number }>("SELECT value FROM own").toArray()[0]?.value ?? 0;
    this.change = (next, objects) =>
      this.#try((now) => {
        const upsert =
          "INSERT INTO own (only, value) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET value = excluded.value";
        sql.exec(upsert, next);
        outbox.enqueue({ target: D1, kind: "state" }, now);
        for (const id of objects) outbox.enqueue({ target: `account:${id}`, kind: "value" }, now);
      });
    const turns: Turns = new Turns({
      storage: {
        setAlarm: (at) => (this.#isDead ? Promise.resolve() : storage.setAlarm(at)),
        transactionSync: (work) => {
          this.#check();
          return storage.transactionSync(() => {
            const result = work();
            if (this.turnFails) throw new Error("the disk is full");
            onWrite("COMMIT");
            return result;
          });
        },
      },
      participants: [outbox],
      schedules: () => (this.#isDead ? [] : [dispatcher]),
    });
    const dispatcher = new OutboxDispatcher({
      context,
      outbox,
      turns,
      about: () => ({}),
      receivers: [
        databaseReceiver({
          context,
          database,
          outbox,
          object: () => "model",
          changes: {
            // An object that has lost its storage has no state yet.
            state: ({ version }) => ({
              statements: value() === 0 ? [] : [database.prepare("state").bind(version, value())],
            }),
          },
        }),
        {
          target: "account:",
          send: async ([entry]) => {
            const { target = "", version = 0 } = entry ?? {};
            const [id, present] = [target.slice("account:".length), value()];
            if (receivers.silent.has(id)) return new Promise(() => undefined);
            const answer = await receivers.call(() => receivers.takeEntry(id, version, present));
            return () => [answer];
          },
        },
      ],
    });
    this.outbox = outbox;
    this.#turns = turns;
    this.value = value;
    turns.alarmIsAt(storage.kept.alarm);
  }

  readonly value: () => number;

  /** @returns whether the turn was not undone */
  readonly change: (value: number, objects: readonly string[]) => boolean;

  get alarm(): number | null {
    return this.#storage.kept.alarm;
  }

  audit(entry: number): boolean {
    return this.#try((at) =>
      this.outbox.enqueueAudit({ at, actor: "model", action: "terminal.secret", details: { entry } }),
    );
  }

  /** D1 was restored. */
  resync(): boolean {
    return this.#try((now) => {
      this.outbox.enqueueLogResync(now);
      this.outbox.enqueue({ target: D1, kind: "state" }, now);
    });
  }

  ring(): void {
    this.#storage.kept.alarm = null;
    this.#turns.takeAlarm(() => null);
    // The platform repeats an alarm in which the object was reset.
    if (this.#isDead) this.#storage.kept.alarm ??= Date.now() + 2_000;
  }

  /** Whatever this instance still has in flight reaches no row any more. */
  die(): void {
    this.#isDead = true;
  }

  #check(): void {
    if (this.#isDead) throw new Error("the object was reset");
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
  return MemoryStorage.with(STEPS);
}

export const START = Date.parse("2031-05-10T12:00:00Z");

/** Time stands at `START` until a test moves it, and the log stays empty. */
export function useModelClock(): void {
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
}

export function ascending(one: number, other: number): number {
  return one - other;
}
