/** An object's SQL storage on Node: SQLite in memory, called as the platform's. It has only what `src` uses. */
import { migrate, type Migration } from "../../src/objects/storage/migrate.ts";
import { MemoryDatabase, type Outcome } from "./memory-database.ts";

/** @param steps what makes the tables */
export function memoryStorage(steps: readonly Migration[]): SqlStorage {
  const sql = sqlOf(new MemoryDatabase());
  migrate({ sql, transactionSync: (work: () => unknown) => work() } as DurableObjectStorage, steps);
  return sql;
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
