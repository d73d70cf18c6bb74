import { type Field, flag, OwnRow, plain, type RecordOf, type Sql } from "../../durable/storage/rows.ts";
import type { AccountStatus } from "../rpc.ts";

/** `until` is in epoch milliseconds. */
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

/** This is the only list of the record's members. */
const FIELDS = {
  posId: plain<string>("pos_id", ""),
  merchantId: plain<string>("merchant_id", ""),
  currency: plain<string>("currency", ""),
  timezone: plain<string>("timezone", ""),
  name: plain<string | null>("name", null),
  region: plain<string | null>("region", null),
  status: plain<AccountStatus>("status", "active"),
  signedChanges: flag("signed_changes"),
  /** The operator who deleted the account; null if it is not deleted. */
  deletedBy: plain<string | null>("deleted_by", null),
  createdAt: plain<number>("created_at", 0),
  /** The version of the last change that terminals must get. */
  termsVersion: plain<number>("terms_version", 0),
  sealedPassword: plain<string>("sealed_password", ""),
  signingKey: plain<string>("signing_key", ""),
  previousSigningKeys: PREVIOUS_KEYS,
  /** The number of references that were only asked about or cancelled on this day (since 1970, UTC). */
  askedDay: plain<number>("asked_day", 0),
  askedCount: plain<number>("asked_count", 0),
  /** The number of prebind lists and bind keys of this hour (since 1970, UTC). */
  bindingHour: plain<number>("binding_hour", 0),
  prebindChanges: plain<number>("prebind_changes", 0),
  bindKeys: plain<number>("bind_keys", 0),
  /** The newest endpoint's number. Numbers are never reused. */
  webhookNumber: plain<number>("webhook_number", 0),
  /** The list of webhooks that need attention, as D1 has it or will have it; null if none ever did. */
  troubles: plain<string | null>("troubles", null),
  /** It is null if there is nothing to prune. Pruning continues after this reference and this event. */
  pruneAt: plain<number | null>("prune_at", null),
  pruneReference: plain<string>("prune_reference", ""),
  pruneEvent: plain<number>("prune_event", 0),
  /** The newest closed day: at first, the one before the account was created. */
  closedDay: plain<string>("closed_day", ""),
  /** The time when the day after it is due to close. */
  closesAt: plain<number>("closes_at", 0),
  /** The newest event that is counted in `days`, `hours` and `pending`. */
  countedEvent: plain<number>("counted_event", 0),
};

export type AccountRecord = RecordOf<typeof FIELDS>;

type AccountBeginning = Pick<
  AccountRecord,
  | "posId"
  | "merchantId"
  | "currency"
  | "timezone"
  | "name"
  | "region"
  | "createdAt"
  | "sealedPassword"
  | "signingKey"
  | "closedDay"
  | "closesAt"
>;

export class AccountRecordStore extends OwnRow<typeof FIELDS> {
  constructor(sql: Sql) {
    super(sql, "account", FIELDS);
  }

  override create(beginning: AccountBeginning): AccountRecord {
    return super.create(beginning);
  }

  /** @throws if there is no account */
  get known(): AccountRecord {
    const { record } = this;
    if (record === null) throw new Error("there is no account");
    return record;
  }

  /** It is "" before the account is created. */
  get posId(): string {
    return this.record?.posId ?? "";
  }
}
