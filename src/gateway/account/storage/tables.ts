import { Outbox } from "../../durable/storage/outbox.ts";
import { Claims, ConflictingResults, Devices } from "./claims.ts";
import { Days, Hours } from "./days.ts";
import { Events } from "./events.ts";
import { AccountRecordStore } from "./record.ts";
import { Sessions, UsedOnce } from "./sessions.ts";
import { Webhooks } from "./webhooks.ts";

/** Everything that an account's object stores. */
export class AccountTables {
  readonly records: AccountRecordStore;
  readonly sessions: Sessions;
  readonly logins: UsedOnce;
  readonly nonces: UsedOnce;
  readonly devices: Devices;
  readonly claims: Claims;
  readonly events: Events;
  readonly days: Days;
  readonly hours: Hours;
  readonly conflictingResults: ConflictingResults;
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;

  constructor(sql: SqlStorage) {
    this.records = new AccountRecordStore(sql);
    this.sessions = new Sessions(sql);
    this.logins = new UsedOnce(sql, "used_logins", "signature");
    this.nonces = new UsedOnce(sql, "used_nonces", "nonce");
    this.devices = new Devices(sql);
    this.claims = new Claims(sql);
    this.events = new Events(sql);
    this.days = new Days(sql);
    this.hours = new Hours(sql);
    this.conflictingResults = new ConflictingResults(sql);
    this.webhooks = new Webhooks(sql);
    this.outbox = new Outbox(sql, () => this.records.record?.posId);
  }
}
