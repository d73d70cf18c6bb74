/** What the monthly check deletes, and where its next step continues. */
import { describe, it } from "vitest";
import { closeConflict, takeConflict } from "../../../../src/gateway/account/copies.ts";
import { newClaim } from "../../../../src/gateway/account/feed.ts";
import { prune, PRUNE_EVERY, PRUNE_PAUSE, PRUNE_ROWS } from "../../../../src/gateway/account/pruning.ts";
import { AccountRecordStore } from "../../../../src/gateway/account/storage/record.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../src/gateway/account/storage/schema.ts";
import { JOURNAL_LIFE } from "../../../../src/protocol/limits.ts";
import { memoryStorage } from "../../../support/memory-storage.ts";
import { AccountParts } from "./parts.ts";
import { OPEN } from "../../../support/gateway/account/samples.ts";

const DAY = 86_400_000;

/** One step, due now. */
function step(parts: AccountParts): void {
  parts.records.update({ pruneAt: parts.now });
  prune(parts, parts.now);
}

function numbers(parts: AccountParts): number[] {
  return parts.events.after(0, PRUNE_ROWS).map(({ number }) => number);
}

function references(parts: AccountParts): string[] {
  return parts.claims.after("", 10).map(({ referenceId }) => referenceId);
}

/** References in the order of their numbers. */
function name(index: number): string {
  return `R-${String(index).padStart(5, "0")}`;
}

describe("the monthly check", () => {
  it("deletes claims and events after 400 days, and not before", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a"), parts.entry("b"));
    parts.now += JOURNAL_LIFE;
    step(parts);
    expect(numbers(parts)).toEqual([1, 2]);
    expect(references(parts)).toEqual(["a", "b"]);
    parts.now += 1;
    step(parts);
    expect(numbers(parts)).toEqual([2]);
    expect(references(parts)).toEqual([]);
    expect(parts.record).toMatchObject({ pruneAt: parts.now + PRUNE_EVERY, pruneReference: "", pruneEvent: 0 });
  });

  it("keeps the newest event, and the newest one of each open transaction", ({ expect }) => {
    const parts = new AccountParts();
    const open = parts.entry("a", OPEN);
    parts.recordAll(open, { ...open, revision: 2 }, parts.entry("b"));
    parts.now += DAY;
    parts.keepSums();
    parts.recordAll(parts.entry("c"));
    parts.now += JOURNAL_LIFE + 1;
    step(parts);
    expect(numbers(parts)).toEqual([2, 5]);
    expect(references(parts)).toEqual(["a"]);
  });

  it("deletes a completed transaction's event even if its reference was admitted again", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a"), parts.entry("b"));
    parts.now += 300 * DAY;
    parts.admit({ referenceId: "a", sessionId: parts.open().sessionId });
    parts.now += 101 * DAY;
    step(parts);
    expect(numbers(parts)).toEqual([2]);
    expect(references(parts)).toEqual(["a"]);
  });

  it("waits until it is due", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a"), parts.entry("b"));
    parts.now += JOURNAL_LIFE + DAY;
    prune(parts, parts.now);
    parts.records.update({ pruneAt: parts.now + 1 });
    prune(parts, parts.now);
    expect(numbers(parts)).toEqual([1, 2]);
    const records = new AccountRecordStore(memoryStorage(ACCOUNT_MIGRATIONS));
    prune({ ...parts, records }, parts.now);
    expect(records.record).toBeNull();
  });

  it("continues after the last claim of a step, and reads events once", ({ expect }) => {
    const parts = new AccountParts();
    for (let index = 0; index < PRUNE_ROWS + 1; index++) parts.claims.save(newClaim(name(index), "T-1", parts.now));
    parts.recordAll(parts.entry("a"), parts.entry("b"));
    parts.now += JOURNAL_LIFE + 1;
    step(parts);
    expect(parts.record).toMatchObject({
      pruneAt: parts.now + PRUNE_PAUSE,
      pruneReference: name(PRUNE_ROWS - 1),
      pruneEvent: Number.MAX_SAFE_INTEGER,
    });
    expect(references(parts)).toEqual([name(PRUNE_ROWS), "a", "b"]);
    step(parts);
    expect(references(parts)).toEqual([]);
    expect(parts.record).toMatchObject({ pruneAt: parts.now + PRUNE_EVERY, pruneReference: "", pruneEvent: 0 });
  });

  it("continues after the last event of a step, and reads claims once", ({ expect }) => {
    const parts = new AccountParts();
    for (let index = 0; index < PRUNE_ROWS; index++) parts.recordAll(parts.entry("a"));
    parts.recordAll(parts.entry("a"), parts.entry("b"));
    parts.now += JOURNAL_LIFE + 1;
    step(parts);
    expect(numbers(parts)).toEqual([PRUNE_ROWS + 1, PRUNE_ROWS + 2]);
    expect(parts.record).toMatchObject({ pruneAt: parts.now + PRUNE_PAUSE, pruneEvent: PRUNE_ROWS });
    parts.claims.save(newClaim("looked at", "T-1", 0));
    step(parts);
    expect(numbers(parts)).toEqual([PRUNE_ROWS + 2]);
    expect(references(parts)).toEqual(["looked at"]);
    expect(parts.record).toMatchObject({ pruneAt: parts.now + PRUNE_EVERY, pruneReference: "", pruneEvent: 0 });
  });

  it("deletes a terminal that was unbound, with its last claim", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a"), parts.entry("b", { deviceId: "T-2" }));
    for (const terminalId of ["T-1", "T-3"]) {
      parts.devices.save({ terminalId, bindingVersion: parts.now, bound: false });
    }
    // The claim of T-1 lives longer than its binding ended: it is asked about.
    parts.now += 300 * DAY;
    parts.claims.save({ ...newClaim("a", "T-1", parts.now), requestId: 1, completedAt: parts.now });
    const devices = () => ["T-1", "T-2", "T-3"].filter((terminalId) => parts.devices.find(terminalId) !== null);
    parts.now += 100 * DAY;
    step(parts);
    expect(devices()).toEqual(["T-1", "T-2", "T-3"]);
    parts.now += PRUNE_EVERY;
    step(parts);
    expect(devices()).toEqual(["T-1", "T-2"]);
    parts.now += JOURNAL_LIFE;
    step(parts);
    // It may have been noted moments before its claim went.
    parts.now += PRUNE_EVERY + 1;
    step(parts);
    expect(devices()).toEqual(["T-2"]);
  });

  it("keeps an unbound terminal while one of its transactions is open", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a", OPEN));
    parts.devices.save({ terminalId: "T-1", bindingVersion: parts.now, bound: false });
    parts.now += 3 * JOURNAL_LIFE;
    step(parts);
    expect(parts.devices.find("T-1")).not.toBeNull();
  });

  it("deletes a conflicting result 400 days after its closing, not before", ({ expect }) => {
    const parts = new AccountParts();
    const entries = [parts.entry("a"), parts.entry("b")];
    parts.recordAll(...entries);
    const reported = { statusCode: "11", responseCode: "51", responseText: null, transAmt: null } as never;
    for (const entry of entries) {
      takeConflict(parts, parts.record, { version: parts.now, entry, reportedAt: parts.now, reported }, parts.now);
    }
    const [closed = 0, open = 0] = entries.map(({ requestId }) => requestId);
    parts.now += DAY;
    closeConflict(parts, { requestId: closed, terminalId: null, reason: "refunded", actor: "olga" }, parts.now);
    const known = () => [closed, open].map((requestId) => parts.conflictingResults.of(requestId).length);
    parts.now += JOURNAL_LIFE;
    step(parts);
    expect(known()).toEqual([1, 1]);
    parts.now += 1;
    step(parts);
    expect(known()).toEqual([0, 1]);
  });
});
