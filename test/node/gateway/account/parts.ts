/** The parts of an account's object, on Node: decisions with the object's own storage, without the object. */
import { randomBytes } from "node:crypto";
import { openSession } from "../../../../src/gateway/account/sessions.ts";
import { decideAdmission } from "../../../../src/gateway/account/admission.ts";
import type {
  AccountChanges,
  Admission,
  RecordEntry,
  ListAnswer,
  ListQuestion,
  SignedMessage,
} from "../../../../src/gateway/account/rpc.ts";
import { applyAccountChange } from "../../../../src/gateway/account/changes.ts";
import { recordOutcome } from "../../../../src/gateway/account/feed.ts";
import { listTransactions } from "../../../../src/gateway/account/listing.ts";
import type { AccountRecord } from "../../../../src/gateway/account/storage/record.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../src/gateway/account/storage/schema.ts";
import { AccountTables } from "../../../../src/gateway/account/storage/tables.ts";
import { Sums } from "../../../../src/gateway/account/sums.ts";
import { closingTime } from "../../../../src/gateway/account/tally.ts";
import { sealPassword } from "../../../../src/gateway/secrets/passwords.ts";
import { seal } from "../../../../src/gateway/secrets/sealing.ts";
import { DAY } from "../../../../src/protocol/time/units.ts";
import { keysFrom } from "../../../support/master-keys.ts";
import { MemoryStorage } from "../../../support/memory-storage.ts";
import {
  DETAILS,
  type EntryChanges,
  type MessageChanges,
  saleEntry,
  signedMessage,
} from "../../../support/gateway/account/samples.ts";

export const PASSWORD = "the password of the parts";
export const SIGNING_KEY = "signing key";
const START = Date.parse("2031-05-10T12:00:00+08:00");

export const MASTER_KEYS_TEXT = newKey("test-1");
export const MASTER_KEYS = keysFrom(MASTER_KEYS_TEXT);
/** The next master key, `test-2`, in front of the one of now. */
export const RENEWED_KEYS = keysFrom(`${newKey("test-2")},${MASTER_KEYS_TEXT}`);

const SEALED_KEY = seal(MASTER_KEYS, SIGNING_KEY, "account-signing-key", DETAILS.posId);

function newKey(kid: string): string {
  return `${kid}:${randomBytes(32).toString("base64")}`;
}

/** An account with a session and two terminals, T-1 and T-2. Its clock stands still, at first at noon. */
export class AccountParts extends AccountTables {
  readonly storage: MemoryStorage;
  readonly sql: MemoryStorage["sql"];
  readonly sums = new Sums(this);
  readonly sessionId: string;
  now = START;
  #requestId = 1_000_000_000;

  constructor() {
    const storage = MemoryStorage.with(ACCOUNT_MIGRATIONS);
    super(storage.sql);
    this.storage = storage;
    this.sql = storage.sql;
    this.records.create({
      ...DETAILS,
      createdAt: START - DAY,
      sealedPassword: sealPassword(MASTER_KEYS, PASSWORD, DETAILS.posId),
      signingKey: SEALED_KEY,
      closedDay: "2031-05-08",
      closesAt: closingTime("2031-05-09", DETAILS.timezone),
    });
    this.records.finish();
    for (const terminalId of ["T-1", "T-2"]) this.devices.save({ terminalId, bindingVersion: 1, bound: true });
    this.sessionId = this.open().sessionId;
  }

  get record(): AccountRecord {
    const { record } = this.records;
    if (record === null) throw new Error("no account");
    return record;
  }

  open() {
    const opened = openSession(this, "test-1", this.now);
    if (opened.kind !== "opened") throw new Error(opened.kind);
    return opened;
  }

  /** A sale of T-1, approved now, unless `changes` say otherwise. */
  entry(referenceId: string, { transaction, ...changes }: EntryChanges = {}): RecordEntry {
    return saleEntry(this.#requestId++, {
      receivedAt: this.now - 20_000,
      completedAt: this.now,
      ...changes,
      transaction: { referenceId, ...transaction },
    });
  }

  recordAll(...entries: RecordEntry[]): void {
    for (const entry of entries) recordOutcome(this, this.record, entry, this.now);
  }

  /** Stores the sums, and closes the days that are due. */
  keepSums(now = this.now): void {
    this.sums.store(this.record, now);
  }

  /** A signed message about R-1 at T-1. */
  question(changes: MessageChanges = {}): SignedMessage {
    return signedMessage(SIGNING_KEY, { posId: DETAILS.posId, sessionId: this.sessionId, ...changes });
  }

  admit(changes: MessageChanges = {}): Admission {
    return decideAdmission(this, MASTER_KEYS, this.question(changes), this.now);
  }

  change(changes: AccountChanges): void {
    applyAccountChange(this, changes, "olga", this.now);
  }

  list(question: ListQuestion): ListAnswer {
    return listTransactions(this, this.record, question);
  }
}
