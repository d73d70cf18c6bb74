/** What an object keeps, on Node: rows that change by transactions, and an alarm that a test looks at and rings. */
import { migrate, type Migration } from "../../src/objects/storage/migrate.ts";
import { MemoryDatabase, type Outcome } from "./memory-database.ts";

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
