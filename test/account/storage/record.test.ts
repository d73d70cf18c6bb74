/** The object's record of its account: what a new one says, and what a restart or an undone turn leaves of it. */
import { describe, it } from "vitest";
import { AccountRecordStore } from "../../../src/account/storage/record.ts";
import { MIGRATIONS } from "../../../src/account/storage/schema.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { DETAILS } from "../details.ts";

const BEGINNING = {
  ...DETAILS,
  createdAt: 1,
  passwordHash: "hash",
  signingKey: "key",
};

const NEW = {
  ...BEGINNING,
  status: "active",
  version: 1,
  newsVersion: 1,
  newsTold: 1,
  passwordVersion: 1,
  previousSigningKeys: [],
  askedDay: 0,
  askedCount: 0,
  outboxNumber: 0,
  outboxTold: 0,
  webhookNumber: 0,
  notedVersion: 0,
  pruneAt: null,
  pruneReference: "",
  pruneEvent: 0,
  closedDay: "",
  openDay: "",
  talliedEvent: 0,
  countedEvent: 0,
  toldEvent: 0,
  toldAt: 0,
  toldNext: 0,
  toldTroubles: "",
  troublesVersion: 0,
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
  passwordHash: "hash-2",
  signingKey: "key-2",
  status: "suspended",
  version: 102,
  newsVersion: 103,
  newsTold: 104,
  passwordVersion: 105,
  previousSigningKeys: [{ sealed: "key-1", until: 106 }],
  askedDay: 107,
  askedCount: 108,
  outboxNumber: 109,
  outboxTold: 110,
  webhookNumber: 111,
  notedVersion: 112,
  pruneAt: 113,
  pruneReference: "R-1",
  pruneEvent: 114,
  closedDay: "2031-05-10",
  openDay: "2031-05-11",
  talliedEvent: 115,
  countedEvent: 116,
  toldEvent: 117,
  toldAt: 118,
  toldNext: 119,
  toldTroubles: "wh_1",
  troublesVersion: 120,
} as const;

describe("a new account's record", () => {
  it("has what the operator has set, and has sent, counted and pruned nothing", ({ expect }) => {
    const records = new AccountRecordStore(memoryStorage(MIGRATIONS));
    expect(records.create(BEGINNING)).toEqual(NEW);
    expect(records.record).toEqual(NEW);
    expect([records.target, records.posId]).toEqual(["pos-1", "pos-1"]);
    expect(records.counters).toMatchObject({ outboxNumber: 0, outboxTold: 0 });
  });

  it("is read again by an object that starts", ({ expect }) => {
    const sql = memoryStorage(MIGRATIONS);
    new AccountRecordStore(sql).create(BEGINNING);
    expect(new AccountRecordStore(sql).record).toEqual(NEW);
  });
});

describe("a change of the record", () => {
  it("is written at once, regardless of what it changes", ({ expect }) => {
    const sql = memoryStorage(MIGRATIONS);
    const records = new AccountRecordStore(sql);
    records.create(BEGINNING);
    for (const [name, value] of Object.entries(OTHER)) {
      const before = records.record;
      expect(records.update({ [name]: value })).toEqual({ ...before, [name]: value });
      expect(new AccountRecordStore(sql).record).toEqual(records.record);
    }
    expect(records.record).toEqual(OTHER);
    expect([records.target, records.counters]).toMatchObject(["pos-2", { outboxNumber: 109, outboxTold: 110 }]);
  });

  it("is gone when its turn is undone", ({ expect }) => {
    const sql = memoryStorage(MIGRATIONS);
    const records = new AccountRecordStore(sql);
    const before = records.create(BEGINNING);
    sql.exec("BEGIN");
    records.update({ name: "Bar" });
    sql.exec("ROLLBACK");
    records.rollBack();
    expect(records.record).toEqual(before);
  });
});

describe("an object without an account", () => {
  it("has no record, and nothing to send", ({ expect }) => {
    const records = new AccountRecordStore(memoryStorage(MIGRATIONS));
    expect([records.record, records.target, records.posId]).toEqual([null, null, ""]);
    expect(records.counters).toEqual({ outboxNumber: 0, outboxTold: 0 });
    expect(() => records.update({ name: "Bar" })).toThrow("there is no account");
  });
});
