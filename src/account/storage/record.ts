/** The object's record of its account: terms, password, keys. One row, read at the start. */
import { type Field, OneRow, plain, type RecordOf } from "../../objects/storage/one-row.ts";
import type { OutboxCounters, OutboxOwner } from "../../objects/storage/outbox.ts";
import type { AccountStatus } from "../calls.ts";

/** A signing key that was replaced, sealed, and until when it is valid: epoch milliseconds. */
export interface PreviousSigningKey {
  sealed: string;
  until: number;
}

const PREVIOUS_KEYS: Field<PreviousSigningKey[]> = {
  columns: ["previous_signing_keys"],
  initial: [],
  read: ({ previous_signing_keys: text }) => JSON.parse(text as string) as PreviousSigningKey[],
  write: (keys) => [JSON.stringify(keys)],
};

/** Every member of the record: the only list of them. */
const FIELDS = {
  posId: plain<string>("pos_id", ""),
  merchantId: plain<string>("merchant_id", ""),
  currency: plain<string>("currency", ""),
  timezone: plain<string>("timezone", ""),
  name: plain<string | null>("name", null),
  region: plain<string | null>("region", null),
  status: plain<AccountStatus>("status", "active"),
  createdAt: plain<number>("created_at", 0),
  /** Grows with every change of the account. Orders the notes to D1. */
  version: plain<number>("version", 1),
  /** The version of the last change that terminals must know. */
  newsVersion: plain<number>("news_version", 1),
  /** A version that every bound terminal knows. */
  newsTold: plain<number>("news_told", 1),
  passwordHash: plain<string>("password_hash", ""),
  /** Counts passwords only. */
  passwordVersion: plain<number>("password_version", 1),
  signingKey: plain<string>("signing_key", ""),
  previousSigningKeys: PREVIOUS_KEYS,
  /**
   * Counts the references that were only asked about or cancelled: on which day (days since 1970, UTC), and how many.
   */
  askedDay: plain<number>("asked_day", 0),
  askedCount: plain<number>("asked_count", 0),
  outboxNumber: plain<number>("outbox_number", 0),
  outboxTold: plain<number>("outbox_told", 0),
  /** The number of the newest webhook endpoint. Numbers are never reused. */
  webhookNumber: plain<number>("webhook_number", 0),
  /** The version that D1 has. */
  notedVersion: plain<number>("noted_version", 0),
  /** When to prune; null: there is nothing. Pruning continues after these two. */
  pruneAt: plain<number | null>("prune_at", null),
  pruneReference: plain<string>("prune_reference", ""),
  pruneEvent: plain<number>("prune_event", 0),
  /** The newest closed business day; "" if none is closed. */
  closedDay: plain<string>("closed_day", ""),
  /** The oldest open day with a record; "" if there is none. */
  openDay: plain<string>("open_day", ""),
  /** The newest event that is counted in `days` and `unsettled`. */
  talliedEvent: plain<number>("tallied_event", 0),
  /** The newest event that is counted in `hours`. */
  countedEvent: plain<number>("counted_event", 0),
  /** The newest event that is counted in what D1 has of the hours, and when it was told. */
  toldEvent: plain<number>("told_event", 0),
  toldAt: plain<number>("told_at", 0),
  /** When a quiet account may tell again. */
  toldNext: plain<number>("told_next", 0),
  /** What D1 knows of webhooks that need attention, as text, and the version under which it was sent. */
  toldTroubles: plain<string>("told_troubles", ""),
  troublesVersion: plain<number>("troubles_version", 0),
};

export type AccountRecord = RecordOf<typeof FIELDS>;

/** The members of a new account. */
export type AccountBeginning = Pick<
  AccountRecord,
  "posId" | "merchantId" | "currency" | "timezone" | "name" | "region" | "createdAt" | "passwordHash" | "signingKey"
>;

/** Keeps the record in memory and in SQL. Every change is written at once, in its turn. */
export class AccountRecordStore implements OutboxOwner {
  readonly #row: OneRow<typeof FIELDS>;
  #record: AccountRecord | null;

  constructor(sql: SqlStorage) {
    this.#row = new OneRow(sql, "account", FIELDS);
    this.#record = this.#row.read();
  }

  /** null before the account is created. */
  get record(): AccountRecord | null {
    return this.#record;
  }

  /** For what is told about the object; "" before the account is created. */
  get posId(): string {
    return this.#record?.posId ?? "";
  }

  get target(): string | null {
    return this.#record?.posId ?? null;
  }

  get counters(): OutboxCounters {
    return this.#record ?? { outboxNumber: 0, outboxTold: 0 };
  }

  /** The turn was undone: reads the row again. */
  rollBack(): void {
    this.#record = this.#row.read();
  }

  create(beginning: AccountBeginning): AccountRecord {
    return this.#save({ ...this.#row.initial(), ...beginning });
  }

  update(members: Partial<AccountRecord>): AccountRecord {
    if (this.#record === null) throw new Error("there is no account");
    return this.#save({ ...this.#record, ...members });
  }

  #save(record: AccountRecord): AccountRecord {
    this.#row.save(record);
    this.#record = record;
    return record;
  }
}
