/** Tables whose rows are records. The column of a member has its name, in snake case. */
import type { Sql } from "./turn-sql.ts";

/** How a member is stored. `key`: it belongs to the primary key. `flag`: as 0 or 1. `json`: as text; null stays null. */
type Kind = "key" | "plain" | "flag" | "json";

export type Columns<Of> = Readonly<Record<keyof Of & string, Kind>>;

export class Table<Of extends object> {
  readonly #sql: Sql;
  readonly #columns: readonly { member: keyof Of & string; column: string; kind: Kind }[];
  readonly #select: string;
  readonly #upsert: string;

  constructor(sql: Sql, table: string, columns: NoInfer<Columns<Of>>) {
    this.#sql = sql;
    const entries = Object.entries(columns) as [keyof Of & string, Kind][];
    const [key, others] = [entries.filter(([, kind]) => kind === "key"), entries.filter(([, kind]) => kind !== "key")];
    this.#columns = [...key, ...others].map(([member, kind]) => ({ member, column: columnOf(member), kind }));
    this.#select = `SELECT ${this.#columns.map(({ column }) => column).join(", ")} FROM ${table}`;
    const columnsOf = (some: typeof entries): string[] => some.map(([member]) => columnOf(member));
    this.#upsert = upsert(table, columnsOf(key), columnsOf(others));
  }

  /** @param rest of the statement, after `SELECT … FROM table` */
  select(rest: string, ...bindings: SqlStorageValue[]): Of[] {
    const rows = this.#sql.exec<Record<string, SqlStorageValue>>(`${this.#select} ${rest}`, ...bindings);
    return rows.toArray().map((row) => {
      const record: Record<string, unknown> = {};
      for (const { member, column, kind } of this.#columns) {
        const value = row[column] ?? null;
        // Also null, which is JSON.
        if (kind === "json") record[member] = JSON.parse(value as string);
        else record[member] = kind === "flag" ? value === 1 : value;
      }
      return record as Of;
    });
  }

  /** Writes one row, over one with the same key if there is one. */
  save(record: Of): void {
    const values = this.#columns.map(({ member, kind }) => {
      const value = record[member];
      if (kind === "json") return value === null ? null : JSON.stringify(value);
      return kind === "flag" ? Number(value) : (value as SqlStorageValue);
    });
    this.#sql.exec(this.#upsert, ...values);
  }
}

function columnOf(member: string): string {
  return member.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * The statement that writes a row, over one with the same key if there is one. Columns that it does not name, because newer
 * code has added them, keep their values.
 *
 * @param key the columns of the primary key
 * @param others the other columns; values are bound in the order of both lists
 */
export function upsert(table: string, key: readonly string[], others: readonly string[]): string {
  const columns = [...key, ...others];
  const changes = others.map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
    ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${changes.join(", ")}`;
}
