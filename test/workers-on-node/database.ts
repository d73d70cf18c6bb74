/** D1 on Node: SQLite in memory, called as the platform's. It has only what `src` uses. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MemoryDatabase } from "../support/memory-storage.ts";

const FOLDER = join(import.meta.dirname, "../../migrations");

const MIGRATIONS = readdirSync(FOLDER)
  .toSorted()
  .map((file) => readFileSync(join(FOLDER, file), "utf8"));

interface Answer {
  results: Record<string, unknown>[];
  success: true;
  meta: { changes: number };
}

class MemoryStatement {
  readonly #database: () => MemoryDatabase;
  /** As the platform's statement has it. */
  readonly statement: string;
  readonly params: readonly unknown[];

  constructor(database: () => MemoryDatabase, statement: string, values: readonly unknown[] = []) {
    this.#database = database;
    this.statement = statement;
    this.params = values;
  }

  bind(...values: unknown[]): MemoryStatement {
    return new MemoryStatement(this.#database, this.statement, values);
  }

  execute(): Answer {
    const { rows, rowsWritten } = this.#database().run(this.statement, this.params);
    return { results: rows, success: true, meta: { changes: rowsWritten } };
  }

  async run(): Promise<Answer> {
    return this.execute();
  }

  async all(): Promise<Answer> {
    return this.execute();
  }

  async first(column?: string): Promise<unknown> {
    const [row] = this.execute().results;
    if (row === undefined) return null;
    return column === undefined ? row : row[column];
  }
}

export class MemoryD1 {
  #database: MemoryDatabase | null = null;

  /** Its tables are made when they are first needed. */
  readonly #tables = (): MemoryDatabase => {
    if (this.#database !== null) return this.#database;
    const database = new MemoryDatabase();
    for (const migration of MIGRATIONS) database.run(migration, []);
    this.#database = database;
    return database;
  };

  prepare(statement: string): MemoryStatement {
    return new MemoryStatement(this.#tables, statement);
  }

  async batch(statements: readonly MemoryStatement[]): Promise<Answer[]> {
    return this.#tables().transaction(() => statements.map((statement) => statement.execute()));
  }

  async exec(statements: string): Promise<void> {
    this.#tables().run(statements, []);
  }
}
