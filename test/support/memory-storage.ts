/** An object's SQL storage on Node: SQLite in memory, called as the platform's. It has only what `src` uses. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { migrate, type Migration } from "../../src/objects/storage/migrate.ts";

interface Outcome {
  rows: Record<string, unknown>[];
  rowsWritten: number;
}

/** @param steps what makes the tables */
export function memoryStorage(steps: readonly Migration[]): SqlStorage {
  const database = new DatabaseSync(":memory:");
  const prepared = new Map<string, StatementSync>();
  const exec = (query: string, ...values: unknown[]): unknown => {
    if (values.length === 0 && query.includes(";")) return cursor(outcomeOfAll(database, query));
    const statement = prepared.get(query) ?? database.prepare(query);
    prepared.set(query, statement);
    return cursor(outcomeOf(statement, values.map(bound)));
  };
  const sql = { exec } as unknown as SqlStorage;
  migrate({ sql, transactionSync: (work: () => unknown) => work() } as DurableObjectStorage, steps);
  return sql;
}

/** Several statements, of which SQLite would prepare only the first. */
function outcomeOfAll(database: DatabaseSync, query: string): Outcome {
  database.exec(query);
  return { rows: [], rowsWritten: 0 };
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

function cursor({ rows, rowsWritten }: Outcome): object {
  const one = (): object => {
    const [row] = rows;
    if (row === undefined || rows.length > 1) throw new Error(`${rows.length} rows, not one`);
    return row;
  };
  return { one, rowsWritten, toArray: () => rows, [Symbol.iterator]: () => rows.values() };
}
