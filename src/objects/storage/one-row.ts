/** An object's record of itself: a table of one row, read when the object starts and kept in memory. */
import type { TurnParticipant } from "../turns.ts";
import { upsert } from "./table.ts";
import type { Sql } from "./turn-sql.ts";

export type Row = Record<string, SqlStorageValue>;

/** A member of the record: its columns, the conversion between them and its value, and its initial value. */
export interface Field<Value> {
  columns: readonly string[];
  initial: Value;
  read: (row: Row) => Value;
  write: (value: Value) => SqlStorageValue[];
}

/** A member that is stored as it is. The schema gives the column this type. */
export function plain<Value extends SqlStorageValue>(column: string, initial: Value): Field<Value> {
  return { columns: [column], initial, read: (row) => row[column] as Value, write: (value) => [value] };
}

/** Stored as 0 and 1. */
export function flag(column: string): Field<boolean> {
  return { columns: [column], initial: false, read: (row) => row[column] === 1, write: (value) => [value ? 1 : 0] };
}

// The field's own type counts; `any` accepts every field.
// oxlint-disable-next-line typescript/no-explicit-any
type Fields = Readonly<Record<string, Field<any>>>;

/** The record type of some fields. */
export type RecordOf<Of extends Fields> = { [Each in keyof Of]: Of[Each]["initial"] };

/**
 * The record, in memory and in SQL. A turn that has changed it writes it once, at its end. The table needs a column
 * `only INTEGER PRIMARY KEY CHECK (only = 1)` besides those of the fields.
 */
export class OwnRow<Of extends Fields> implements TurnParticipant {
  readonly #sql: Sql;
  readonly #fields: readonly [keyof Of & string, Field<unknown>][];
  readonly #select: string;
  readonly #upsert: string;
  readonly #completed: (stored: RecordOf<Of>) => RecordOf<Of>;
  #record: RecordOf<Of> | null;
  #isChanged = false;

  /** @param completed adds to the stored record what is stored elsewhere */
  constructor(sql: Sql, table: string, fields: Of, completed = (stored: RecordOf<Of>): RecordOf<Of> => stored) {
    this.#sql = sql;
    this.#fields = Object.entries<Field<unknown>>(fields);
    const columns = this.#fields.flatMap(([, field]) => field.columns);
    this.#select = `SELECT ${columns.join(", ")} FROM ${table}`;
    this.#upsert = upsert(table, ["only"], columns);
    this.#completed = completed;
    this.#record = this.#read();
  }

  /** null before the object has an identity. */
  get record(): RecordOf<Of> | null {
    return this.#record;
  }

  /** The first record: initial values, and these. */
  create(members: Partial<RecordOf<Of>>): RecordOf<Of> {
    return this.#change({ ...this.#make((field) => field.initial), ...members });
  }

  update(members: Partial<RecordOf<Of>>): RecordOf<Of> {
    if (this.#record === null) throw new Error("the object has no identity yet");
    return this.#change({ ...this.#record, ...members });
  }

  /** Changes members in memory only. They are written with the next change, or lost. */
  defer(members: Partial<RecordOf<Of>>): void {
    if (this.#record !== null) this.#record = { ...this.#record, ...members };
  }

  finish(): void {
    const record = this.#record;
    if (this.#isChanged && record !== null) {
      this.#sql.exec(this.#upsert, 1, ...this.#fields.flatMap(([name, field]) => field.write(record[name])));
    }
    this.#isChanged = false;
  }

  /** The turn was undone: reads the row again. */
  rollBack(): void {
    this.#record = this.#read();
    this.#isChanged = false;
  }

  #change(record: RecordOf<Of>): RecordOf<Of> {
    this.#record = record;
    this.#isChanged = true;
    return record;
  }

  #read(): RecordOf<Of> | null {
    const row = this.#sql.exec<Row>(this.#select).toArray()[0];
    return row === undefined ? null : this.#completed(this.#make((field) => field.read(row)));
  }

  #make(value: (field: Field<unknown>) => unknown): RecordOf<Of> {
    // `fromEntries` loses the types of the values; each comes from the field with its name.
    return Object.fromEntries(this.#fields.map(([name, field]) => [name, value(field)])) as RecordOf<Of>;
  }
}
