/** What an object keeps, on Node: rows that change by transactions, and an alarm that a test looks at and rings. */
import { migrate, type Migration } from "../../src/objects/storage/migrate.ts";
import { MemoryDatabase } from "./memory-database.ts";
import { sqlOf } from "./memory-sql.ts";

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
