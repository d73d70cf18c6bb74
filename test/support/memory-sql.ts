/** SQLite in memory, called as the SQL of an object's storage. It has only what `src` uses. */
import type { MemoryDatabase, Outcome } from "./memory-database.ts";

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
