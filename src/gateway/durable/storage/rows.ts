import { upsert } from "../../d1/upsert.ts";
import type { TurnParticipant } from "../turns.ts";

export type Sql = Pick<SqlStorage, "exec">;

/**
 * The column is the member's name in snake case. `key`: part of the primary key. `flag`: 0 or 1. `json`: a text, in
 * which null stays null.
 */
type Kind = "key" | "plain" | "flag" | "json";

export type Columns<Of> = Readonly<Record<keyof Of & string, Kind>>;

export class RowTable<Of extends object> {
  readonly #sql: Sql;
  readonly #columns: readonly { member: keyof Of & string; column: string; kind: Kind }[];
  readonly #select: string;
  readonly #upsert: string;

  constructor(sql: Sql, table: string, columns: NoInfer<Columns<Of>>) {
    this.#sql = sql;
    const entries = Object.entries(columns) as [keyof Of & string, Kind][];
    const [key, others] = [entries.filter(([, kind]) => kind === "key"), entries.filter(([, kind]) => kind !== "key")];
    this.#columns = [...key, ...others].map(([member, kind]) => ({ member, column: toColumnName(member), kind }));
    this.#select = `SELECT ${this.#columns.map(({ column }) => column).join(", ")} FROM ${table}`;
    const columnsOf = (some: typeof entries): string[] => some.map(([member]) => toColumnName(member));
    this.#upsert = upsert(table, columnsOf(key), columnsOf(others));
  }

  /** @param rest the statement after `SELECT … FROM table` */
  select(rest: string, ...bindings: SqlStorageValue[]): Of[] {
    const rows = this.#sql.exec<Record<string, SqlStorageValue>>(`${this.#select} ${rest}`, ...bindings);
    return rows.toArray().map((row) => {
      const record: Record<string, unknown> = {};
      for (const { member, column, kind } of this.#columns) {
        const value = row[column] ?? null;
        // This includes null, which is JSON.
        if (kind === "json") record[member] = JSON.parse(value as string);
        else record[member] = kind === "flag" ? value === 1 : value;
      }
      return record as Of;
    });
  }

  /** Replaces a row with the same key. */
  save(record: Of): void {
    const values = this.#columns.map(({ member, kind }) => {
      const value = record[member];
      if (kind === "json") return value === null ? null : JSON.stringify(value);
      return kind === "flag" ? Number(value) : (value as SqlStorageValue);
    });
    this.#sql.exec(this.#upsert, ...values);
  }
}

function toColumnName(member: string): string {
  return member.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * An object's record of itself: a table of one row, which a turn reads once, and writes once, at its end, if it has
 * changed it. The table has the columns `only INTEGER PRIMARY KEY CHECK (only = 1)` and `record TEXT NOT NULL`, in JSON.
 */
export class OwnRow<Of extends object> implements TurnParticipant {
  readonly #sql: Sql;
  readonly #select: string;
  readonly #upsert: string;
  readonly #initial: Of;
  /** As this turn has read and changed it; undefined: not read yet. */
  #record: Of | null | undefined;
  #isChanged = false;

  /** @param initial every member: also what a row that was stored before the member existed has for it */
  constructor(sql: Sql, table: string, initial: Of) {
    this.#sql = sql;
    this.#initial = initial;
    this.#select = `SELECT record FROM ${table}`;
    this.#upsert = upsert(table, ["only"], ["record"]);
  }

  /** null: the object has no identity yet. */
  get record(): Of | null {
    if (this.#record === undefined) this.#record = this.#read();
    return this.#record;
  }

  /** Whether this turn has changed it. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  create(members: Partial<Of>): Of {
    return this.#change({ ...this.#initial, ...members });
  }

  update(members: Partial<Of>): Of {
    const { record } = this;
    if (record === null) throw new Error("the object has no identity yet");
    return this.#change({ ...record, ...members });
  }

  finish(): void {
    if (this.#isChanged) this.#sql.exec(this.#upsert, 1, JSON.stringify(this.#record));
  }

  forget(): void {
    this.#record = undefined;
    this.#isChanged = false;
  }

  #change(record: Of): Of {
    this.#record = record;
    this.#isChanged = true;
    return record;
  }

  #read(): Of | null {
    const [row] = this.#sql.exec<{ record: string }>(this.#select).toArray();
    return row === undefined ? null : { ...this.#initial, ...(JSON.parse(row.record) as Partial<Of>) };
  }
}
