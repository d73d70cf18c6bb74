/** What an object keeps, on Node: rows that change by transactions, and an alarm that a test looks at and rings. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { type Migration, migrateObject } from "../../src/gateway/durable/storage/migrate.ts";

export interface Outcome {
  rows: Record<string, unknown>[];
  rowsWritten: number;
}

export class MemoryDatabase {
  readonly #database = new DatabaseSync(":memory:");
  readonly #prepared = new Map<string, StatementSync>();

  run(query: string, values: readonly unknown[]): Outcome {
    if (values.length === 0 && query.includes(";")) return this.#runAll(query);
    const statement = this.#prepared.get(query) ?? this.#database.prepare(query);
    this.#prepared.set(query, statement);
    return outcomeOf(statement, values.map(bound));
  }

  /** Several statements, of which SQLite would prepare only the first. */
  #runAll(query: string): Outcome {
    this.#database.exec(query);
    return { rows: [], rowsWritten: 0 };
  }

  /** All of the work, or nothing if it throws. May be within another. */
  transaction<T>(work: () => T): T {
    this.run("SAVEPOINT work", []);
    try {
      const result = work();
      this.run("RELEASE work", []);
      return result;
    } catch (error) {
      this.run("ROLLBACK TO work", []);
      this.run("RELEASE work", []);
      throw error;
    }
  }
}

function outcomeOf(statement: StatementSync, values: SQLInputValue[]): Outcome {
  if (statement.columns().length === 0) {
    return { rows: [], rowsWritten: Number(statement.run(...values).changes) };
  }
  const rows = statement.all(...values).map((row) => Object.fromEntries(Object.entries(row).map(read)));
  return { rows, rowsWritten: 0 };
}

function bound(value: unknown): SQLInputValue {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : (value as SQLInputValue);
}

function read([name, value]: [string, unknown]): [string, unknown] {
  return [name, value instanceof Uint8Array ? value.slice().buffer : value];
}

/** What an object keeps, whatever becomes of its instance. */
export class Kept {
  readonly database = new MemoryDatabase();
  /** When the object wants to be woken, or null. */
  alarm: number | null = null;
}

/** An instance's way to what the object keeps. Closed once the instance is gone: its work may still go on. */
export class MemoryStorage {
  readonly kept: Kept;
  #isOpen = true;
  readonly sql = { exec: (query: string, ...values: unknown[]) => this.#exec(query, values) } as unknown as SqlStorage;

  constructor(kept = new Kept()) {
    this.kept = kept;
  }

  /** @param steps what makes the tables */
  static with(steps: readonly Migration[]): MemoryStorage {
    const storage = new MemoryStorage();
    migrateObject(storage as unknown as DurableObjectStorage, steps);
    return storage;
  }

  transactionSync<T>(work: () => T): T {
    this.#check();
    return this.kept.database.transaction(work);
  }

  async getAlarm(): Promise<number | null> {
    return this.kept.alarm;
  }

  async setAlarm(time: number | Date): Promise<void> {
    this.#check();
    this.kept.alarm = Number(time);
  }

  close(): void {
    this.#isOpen = false;
  }

  #exec(query: string, values: unknown[]): object {
    this.#check();
    const { rows, rowsWritten } = this.kept.database.run(query, values);
    const one = (): object => {
      const [row] = rows;
      if (row === undefined || rows.length > 1) throw new Error(`${rows.length} rows, not one`);
      return row;
    };
    return { one, rowsWritten, toArray: () => rows, [Symbol.iterator]: () => rows.values() };
  }

  #check(): void {
    if (!this.#isOpen) throw new Error("the object was reset");
  }
}

/**
 * The rows alone.
 *
 * @param steps what makes the tables
 */
export function memoryStorage(steps: readonly Migration[]): SqlStorage {
  return MemoryStorage.with(steps).sql;
}
