/** The object's record of its account: terms, password, keys. One row, read at the start. */
import { type Field, flag, OwnRow, plain, type RecordOf, type Sql } from "../../objects/storage/rows.ts";
import { OWING, type UntoldOwner } from "../../objects/storage/untold.ts";
import type { Owing } from "../../objects/untold/teller.ts";
import type { AccountStatus } from "../../rpc/account.ts";

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
  /** Whether unbinding a terminal and replacing the prebind list must be signed. */
  signedChanges: flag("signed_changes"),
  /** The operator who deleted the account; null: nobody has. */
  deletedBy: plain<string | null>("deleted_by", null),
  createdAt: plain<number>("created_at", 0),
  /** The version of the last change that terminals must know. */
  termsVersion: plain<number>("terms_version", 0),
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
  /** The number of the newest webhook endpoint. Numbers are never reused. */
  webhookNumber: plain<number>("webhook_number", 0),
  /** A list of the webhooks in trouble, as the object last sent it to D1 or still owes it; null if none ever was in trouble. */
  troubles: plain<string | null>("troubles", null),
  /** The time of the next pruning, or null. Pruning continues after this reference and this event. */
  pruneAt: plain<number | null>("prune_at", null),
  pruneReference: plain<string>("prune_reference", ""),
  pruneEvent: plain<number>("prune_event", 0),
  /** The newest closed business day; "" if none is closed. */
  closedDay: plain<string>("closed_day", ""),
  /** The oldest open day with a record; "" if there is none. */
  openDay: plain<string>("open_day", ""),
  /** The newest event that is counted in `days` and `unresolved`. */
  talliedEvent: plain<number>("tallied_event", 0),
  /** The newest event that is counted in `hours`. */
  countedEvent: plain<number>("counted_event", 0),
  /** The newest event that D1 has counted, and the time at which it was told. */
  toldEvent: plain<number>("told_event", 0),
  toldAt: plain<number>("told_at", 0),
  /** When a quiet account may tell again. */
  toldNext: plain<number>("told_next", 0),
  owing: OWING,
};

export type AccountRecord = RecordOf<typeof FIELDS>;

/** The members of a new account. */
export type AccountBeginning = Pick<
  AccountRecord,
  "posId" | "merchantId" | "currency" | "timezone" | "name" | "region" | "createdAt" | "passwordHash" | "signingKey"
>;

/** The record in memory and in SQL. */
export class AccountRecordStore extends OwnRow<typeof FIELDS> implements UntoldOwner {
  constructor(sql: Sql) {
    super(sql, "account", FIELDS);
  }

  override create(beginning: AccountBeginning): AccountRecord {
    return super.create(beginning);
  }

  /** For what is told about the object; "" before the account is created. */
  get posId(): string {
    return this.record?.posId ?? "";
  }

  get target(): string | null {
    return this.record?.posId ?? null;
  }

  get owing(): Owing {
    return this.record?.owing ?? OWING.initial;
  }
}
