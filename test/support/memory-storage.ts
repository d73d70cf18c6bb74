/** What an object keeps, on Node: rows that change by transactions, and an alarm that a test looks at and rings. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { type Migration, migrate } from "../../src/objects/storage/migrate.ts";

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

export class MemoryStorage {
  readonly #database = new MemoryDatabase();
  readonly sql: SqlStorage = sqlOf(this.#database);
  /** When the object wants to be woken, epoch milliseconds; null: never. */
  alarm: number | null = null;

  /** @param steps what makes the tables */
  constructor(steps: readonly Migration[]) {
    migrate(this as unknown as DurableObjectStorage, steps);
  }

  transactionSync<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  async setAlarm(time: number | Date): Promise<void> {
    this.alarm = Number(time);
  }
}

/**
 * The rows alone.
 *
 * @param steps what makes the tables
 */
export function memoryStorage(steps: readonly Migration[]): SqlStorage {
  return new MemoryStorage(steps).sql;
}

export function sqlOf(database: MemoryDatabase): SqlStorage {
  const exec = (query: string, ...values: unknown[]): object => cursor(database.run(query, values));
  return { exec } as unknown as SqlStorage;
}

function cursor({ rows, rowsWritten }: Outcome): object {
  const one = (): object => {
    const [row] = rows;
    if (row === undefined || rows.length > 1) throw new Error(`${rows.length} rows, not one`);
    return row;
  };
  return { one, rowsWritten, toArray: () => rows, [Symbol.iterator]: () => rows.values() };
}
