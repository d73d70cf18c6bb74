import { upsert } from "../../d1/upsert.ts";
import type { TurnParticipant } from "../turns.ts";

export type Sql = Pick<SqlStorage, "exec">;

/**
 * The column is the member's name in snake case. `key`: part of the primary key. `flag`: 0 or 1. `json`: a text, in
 * which null stays null.
 */
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

function columnOf(member: string): string {
  return member.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

export type Row = Record<string, SqlStorageValue>;

export interface Field<Value> {
  columns: readonly string[];
  initial: Value;
  /** The default is the value of the first column. */
  read?: (row: Row) => Value;
  write: (value: Value) => SqlStorageValue[];
}

/** The value is stored unchanged, in the type that the schema gives the column. */
export function plain<Value extends SqlStorageValue>(column: string, initial: Value): Field<Value> {
  return { columns: [column], initial, write: (value) => [value] };
}

/** The value is stored as 0 or 1. */
export function flag(column: string): Field<boolean> {
  return { columns: [column], initial: false, read: (row) => row[column] === 1, write: (value) => [value ? 1 : 0] };
}

// The field's own type counts; `any` accepts every field.
// oxlint-disable-next-line typescript/no-explicit-any
type Fields = Readonly<Record<string, Field<any>>>;

export type RecordOf<Of extends Fields> = { [Each in keyof Of]: Of[Each]["initial"] };

/**
 * An object's record of itself: a table of one row, which a turn reads once, and writes once, at its end, if it has
 * changed it. The table needs a column `only INTEGER PRIMARY KEY CHECK (only = 1)` in addition to those of the fields.
 */
export class OwnRow<Of extends Fields> implements TurnParticipant {
  readonly #sql: Sql;
  readonly #fields: readonly [keyof Of & string, Field<unknown>][];
  readonly #select: string;
  readonly #upsert: string;
  /** The record as this turn has read and changed it; undefined before it is read. */
  #record: RecordOf<Of> | null | undefined;
  #isChanged = false;

  constructor(sql: Sql, table: string, fields: Of) {
    this.#sql = sql;
    this.#fields = Object.entries<Field<unknown>>(fields);
    const columns = this.#fields.flatMap(([, field]) => field.columns);
    this.#select = `SELECT ${columns.join(", ")} FROM ${table}`;
    this.#upsert = upsert(table, ["only"], columns);
  }

  /** Returns null if the object has no identity yet. */
  get record(): RecordOf<Of> | null {
    if (this.#record === undefined) this.#record = this.#read();
    return this.#record;
  }

  /** Whether this turn has changed it. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  create(members: Partial<RecordOf<Of>>): RecordOf<Of> {
    const initial = Object.fromEntries(this.#fields.map(([name, field]) => [name, field.initial]));
    return this.#change({ ...(initial as RecordOf<Of>), ...members });
  }

  update(members: Partial<RecordOf<Of>>): RecordOf<Of> {
    const { record } = this;
    if (record === null) throw new Error("the object has no identity yet");
    return this.#change({ ...record, ...members });
  }

  finish(): void {
    const { record } = this;
    if (this.#isChanged && record !== null) {
      this.#sql.exec(this.#upsert, 1, ...this.#fields.flatMap(([name, field]) => field.write(record[name])));
    }
  }

  forget(): void {
    this.#record = undefined;
    this.#isChanged = false;
  }

  #change(record: RecordOf<Of>): RecordOf<Of> {
    this.#record = record;
    this.#isChanged = true;
    return record;
  }

  #read(): RecordOf<Of> | null {
    const row = this.#sql.exec<Row>(this.#select).toArray()[0];
    if (row === undefined) return null;
    const record: Record<string, unknown> = {};
    for (const [name, { columns, read }] of this.#fields) {
      record[name] = read === undefined ? row[columns[0] ?? name] : read(row);
    }
    return record as RecordOf<Of>;
  }
}
