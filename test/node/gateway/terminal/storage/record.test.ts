/** What a terminal's object knows of itself. */
import { describe, expect, it } from "vitest";
import { TERMINAL_MIGRATIONS } from "../../../../../src/gateway/terminal/storage/schema.ts";
import { lastHeard, offlineSince, TerminalRecordStore } from "../../../../../src/gateway/terminal/storage/record.ts";
import { Journal } from "../../../../../src/gateway/terminal/storage/journal.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";
import { queued } from "../../../../support/gateway/terminal/lane/bench.ts";

const ENROLMENT = { terminalId: "T-1", isVT: 0, sealedSecret: "one", enrolmentId: "e-1" } as const;

function newRecords(sql = memoryStorage(TERMINAL_MIGRATIONS), journal = new Journal(sql)): TerminalRecordStore {
  return new TerminalRecordStore(sql, journal);
}

function enrolled(...given: Parameters<typeof newRecords>): TerminalRecordStore {
  const records = newRecords(...given);
  expect(records.enrol(ENROLMENT)).toEqual({ kind: "enrolled" });
  return records;
}

describe("an enrolment", () => {
  it("replaces the terminal's secret if repeated, and invalidates earlier ones", () => {
    const records = enrolled();
    expect(records.enrol({ ...ENROLMENT, sealedSecret: "two" })).toEqual({ kind: "enrolled" });
    expect(records.record).toMatchObject({ sealedSecret: "two", secretVersion: 2 });
  });

  it("changes nothing for a terminal otherwise enrolled, or retired", () => {
    const records = enrolled();
    expect(records.enrol({ ...ENROLMENT, enrolmentId: "e-2" })).toEqual({ kind: "taken" });
    records.update({ sealedSecret: null });
    expect(records.enrol(ENROLMENT)).toEqual({ kind: "taken" });
    expect(records.record).toMatchObject({ sealedSecret: null, secretVersion: 1 });
  });
});

describe("a terminal's highest number", () => {
  it("is the last one that it holds or has taken", () => {
    expect(newRecords().highestNumber).toBe(0);
    const sql = memoryStorage(TERMINAL_MIGRATIONS);
    const journal = new Journal(sql);
    const records = enrolled(sql, journal);
    expect(records.highestNumber).toBe(0);
    records.addNumbers({ first: 100, last: 199 }, 0);
    expect(records.highestNumber).toBe(199);
    journal.insert(queued({ requestId: 250 }));
    expect(records.highestNumber).toBe(250);
  });
});

describe("a terminal without a connection", () => {
  it.for([
    ["that was heard", { heardAt: 7, connectedAt: 5, lostAt: 9 }, [7, 7]],
    ["that was heard only before its last connection", { heardAt: 3, connectedAt: 5, lostAt: 9 }, [9, 5]],
    ["that said nothing after its hello", { heardAt: 5, connectedAt: 5, lostAt: 9 }, [5, 5]],
    ["of which an earlier instance knew", { heardAt: null, connectedAt: 5, lostAt: 9 }, [9, 5]],
    ["that never connected", { heardAt: null, connectedAt: null, lostAt: null }, [null, null]],
  ] as const)("is offline since then: %s", ([, members, times]) => {
    const record = enrolled().update(members);
    expect([offlineSince(record), lastHeard(record)]).toEqual(times);
  });
});
