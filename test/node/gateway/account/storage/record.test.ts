/** The object's record of its account: what a new one says, and what a restart or an undone turn leaves of it. */
import { describe, it } from "vitest";
import { AccountRecordStore } from "../../../../../src/gateway/account/storage/record.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";
import { DETAILS } from "../../../../support/gateway/account/samples.ts";

const BEGINNING = {
  ...DETAILS,
  createdAt: 1,
  sealedPassword: "hash",
  signingKey: "key",
  closedDay: "2031-05-09",
  closesAt: 2,
};

const NEW = {
  ...BEGINNING,
  status: "active",
  signedChanges: false,
  termsVersion: 0,
  deletedBy: null,
  previousSigningKeys: [],
  askedDay: 0,
  askedCount: 0,
  bindingHour: 0,
  prebindChanges: 0,
  bindKeys: 0,
  webhookNumber: 0,
  webhookAlerts: null,
  pruneAt: null,
  pruneReference: "",
  pruneEvent: 0,
  countedEvent: 0,
};

/** Another value for every member, none of them twice. */
const OTHER = {
  posId: "pos-2",
  merchantId: "M-2",
  currency: "SGD",
  timezone: "UTC",
  name: "Bar",
  region: "weur",
  createdAt: 101,
  sealedPassword: "hash-2",
  signingKey: "key-2",
  status: "suspended",
  signedChanges: true,
  termsVersion: 104,
  deletedBy: "otto",
  previousSigningKeys: [{ sealed: "key-1", until: 106 }],
  askedDay: 107,
  askedCount: 108,
  bindingHour: 109,
  prebindChanges: 110,
  bindKeys: 112,
  webhookNumber: 111,
  webhookAlerts: "wh_1",
  pruneAt: 113,
  pruneReference: "R-1",
  pruneEvent: 114,
  closedDay: "2031-05-10",
  closesAt: 115,
  countedEvent: 116,
} as const;

describe("a new account's record", () => {
  it("has the operator's values, and no deliveries, counts or pruning", ({ expect }) => {
    const records = new AccountRecordStore(memoryStorage(ACCOUNT_MIGRATIONS));
    expect(records.create(BEGINNING)).toEqual(NEW);
    expect(records.record).toEqual(NEW);
    expect(records.posId).toBe("pos-1");
  });

  it("is read again by an object that starts", ({ expect }) => {
    const sql = memoryStorage(ACCOUNT_MIGRATIONS);
    const records = new AccountRecordStore(sql);
    records.create(BEGINNING);
    records.finish();
    expect(new AccountRecordStore(sql).record).toEqual(NEW);
  });
});

describe("a change of the record", () => {
  it("is written when its turn ends, regardless of what it changes", ({ expect }) => {
    const sql = memoryStorage(ACCOUNT_MIGRATIONS);
    const records = new AccountRecordStore(sql);
    records.create(BEGINNING);
    records.finish();
    for (const [name, value] of Object.entries(OTHER)) {
      const before = records.record;
      expect(records.update({ [name]: value })).toEqual({ ...before, [name]: value });
      expect(new AccountRecordStore(sql).record).toEqual(before);
      records.finish();
      expect(new AccountRecordStore(sql).record).toEqual(records.record);
    }
    expect(records.record).toEqual(OTHER);
  });

  it("is gone when its turn is undone", ({ expect }) => {
    const sql = memoryStorage(ACCOUNT_MIGRATIONS);
    const records = new AccountRecordStore(sql);
    const before = records.create(BEGINNING);
    records.finish();
    sql.exec("BEGIN");
    records.update({ name: "Bar" });
    records.finish();
    sql.exec("ROLLBACK");
    records.forget();
    expect(records.record).toEqual(before);
  });
});

describe("an object without an account", () => {
  it("has no record, and nothing to send", ({ expect }) => {
    const records = new AccountRecordStore(memoryStorage(ACCOUNT_MIGRATIONS));
    expect([records.record, records.posId]).toEqual([null, ""]);
    expect(() => records.update({ name: "Bar" })).toThrow("the object has no identity yet");
  });
});
