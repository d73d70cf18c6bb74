/** Which outcomes are told at once, later or no more: decisions on rows in memory. */
import { describe, it } from "vitest";
import type { AccountStub, RecordAnswer, RecordEntry } from "../../src/rpc/account.ts";
import type { Connections } from "../../src/terminal/connections.ts";
import { RECORD_ENTRIES, UNNEEDED_NAMES } from "../../src/terminal/limits.ts";
import type { Transaction } from "../../src/terminal/lane/index.ts";
import { Recorder } from "../../src/terminal/recorder.ts";
import type { TerminalRecordStore } from "../../src/terminal/storage/record.ts";
import { completed, laneOf, NOW, OFFLINE, pending } from "./lane/bench.ts";

const ALL = (entries: RecordEntry[]): RecordAnswer => ({
  recorded: entries.map(({ requestId, revision }) => ({ requestId, revision })),
});

const NONE = (): RecordAnswer => ({ recorded: [] });

/** @param left what an earlier instance has left in the journal */
function recorderWith(left: Transaction[] = []) {
  const told: number[][] = [];
  const renamed: (readonly number[])[] = [];
  const recorder = new Recorder({
    journal: { tail: () => left, tailNumbers: () => [], rename: (named) => void renamed.push(named) },
    connections: {} as Connections,
    records: { record: null, terminalId: "T" } as unknown as TerminalRecordStore,
    lane: () => ({ find: () => null, lane: laneOf([pending({ requestId: 1 })], OFFLINE) }),
    account: () =>
      ({
        record: async (entries: RecordEntry[]) => {
          told.push(entries.map(({ requestId }) => requestId));
          return answer(entries);
        },
      }) as unknown as AccountStub,
  });
  let answer = ALL;
  const tell = async (by = ALL) => {
    answer = by;
    return recorder.tell("P", NOW);
  };
  return { recorder, told, renamed, tell, due: () => recorder.waiting().get("P")?.notBefore };
}

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => completed("00", { requestId: 100 + index }));

describe("the outcomes that an account lacks", () => {
  it("are told a bounded number at a time, the oldest first", async ({ expect }) => {
    const { recorder, told, tell } = recorderWith();
    for (const row of rows(RECORD_ENTRIES + 1).toReversed()) recorder.add(row, null, NOW);
    recorder.commit();
    for (let calls = 0; calls < 2; calls++) (await tell())(NOW);
    expect(told.map(({ length }) => length)).toEqual([RECORD_ENTRIES, 1]);
    expect(told.flat()).toEqual(rows(RECORD_ENTRIES + 1).map(({ requestId }) => requestId));
    expect(recorder.isEmpty).toBe(true);
  });

  it("are not those of a turn that failed", ({ expect }) => {
    const { recorder } = recorderWith();
    recorder.add(completed("00"), null, NOW);
    recorder.rollBack();
    recorder.commit();
    expect(recorder.isEmpty).toBe(true);
  });

  it("are told later if the account has not recorded them, and at once if they have changed meanwhile", async ({
    expect,
  }) => {
    const { recorder, tell, due } = recorderWith();
    recorder.add(pending(), null, NOW);
    recorder.commit();
    const first = await tell(NONE);
    recorder.add(completed("00", { revision: 2 }), null, NOW);
    recorder.commit();
    first(NOW);
    expect(due()).toBe(0);
    (await tell(NONE))(NOW);
    expect(due()).toBeGreaterThan(NOW);
  });

  it("are named by the newest row no longer than necessary", async ({ expect }) => {
    // One more is open.
    for (const [left, isRenamed] of [
      [UNNEEDED_NAMES + 1, false],
      [UNNEEDED_NAMES + 2, true],
    ] as const) {
      const { recorder, renamed, tell } = recorderWith(rows(left));
      recorder.takeOver(NOW);
      (await tell())(NOW);
      recorder.add(completed("00"), null, NOW);
      recorder.commit();
      (await tell())(NOW);
      expect(renamed).toEqual(isRenamed ? [[1]] : []);
    }
  });
});
