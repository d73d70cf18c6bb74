import { OwnRow, type Sql } from "../../durable/storage/rows.ts";
import type { AccountStatus } from "../rpc.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

export interface PreviousSigningKey {
  sealed: string;
  until: EpochMs;
}

/** This is the only list of the record's members. */
const INITIAL = {
  posId: "",
  merchantId: "",
  currency: "",
  timezone: "",
  name: null as string | null,
  region: null as string | null,
  status: "active" as AccountStatus,
  signedChanges: false as boolean,
  /** The operator who deleted the account; null if it is not deleted. */
  deletedBy: null as string | null,
  createdAt: 0,
  /** The version of the last change that terminals must get. */
  termsVersion: 0,
  sealedPassword: "",
  signingKey: "",
  previousSigningKeys: [] as PreviousSigningKey[],
  /** The number of references that were only asked about or cancelled on this day (since 1970, UTC). */
  askedDay: 0,
  askedCount: 0,
  /** The number of prebind lists and bind keys of this hour (since 1970, UTC). */
  bindingHour: 0,
  prebindChanges: 0,
  bindKeys: 0,
  /** The newest endpoint's number. Numbers are never reused. */
  webhookNumber: 0,
  /** The list of webhooks that need attention, as D1 has it or will have it; null if none ever did. */
  webhookAlerts: null as string | null,
  /** It is null if there is nothing to prune. Pruning continues after this reference and this event. */
  pruneAt: null as number | null,
  pruneReference: "",
  pruneEvent: 0,
  /** The newest closed day: at first, the one before the account was created. */
  closedDay: "",
  /** The time when the day after it is due to close. */
  closesAt: 0,
  /** The newest event that is counted in `days`, `hours` and `pending`. */
  countedEvent: 0,
};

export type AccountRecord = typeof INITIAL;

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

export class AccountRecordStore extends OwnRow<AccountRecord> {
  constructor(sql: Sql) {
    super(sql, "account", INITIAL);
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
