/** When a terminal's object deletes old rows, and from where it continues. */
import { describe, it } from "vitest";
import { JOURNAL_LIFE as LIFE } from "../../../../../src/protocol/limits.ts";
import { Retention } from "../../../../../src/gateway/terminal/retention.ts";
import { type TerminalRecord, TerminalRecordStore } from "../../../../../src/gateway/terminal/storage/record.ts";
import { TERMINAL_MIGRATIONS } from "../../../../../src/gateway/terminal/storage/schema.ts";
import { DAY, SECOND } from "../../../../../src/protocol/time/units.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";

/** The deletion of an object with this record. */
function retentionOf(
  members: Partial<TerminalRecord>,
  parts: Partial<ConstructorParameters<typeof Retention>[0]> = {},
) {
  const records = new TerminalRecordStore(memoryStorage(TERMINAL_MIGRATIONS), { newest: 0 });
  records.enrol({ terminalId: "T-1", isVT: 0, sealedSecret: "sealed" });
  records.update(members);
  const journal = { oldestCompleted: () => null, prune: () => null };
  const reports = { oldestOrphan: () => null, pruneOrphans: () => undefined };
  return { records, retention: new Retention({ journal, reports, records, ...parts }) };
}

describe("the time of the next step", () => {
  const NOW = 1_000 * DAY;

  /** Of an object whose next step is due so long after now. */
  function deadline(due: number | null, isConnected: boolean): number | null {
    const { retention } = retentionOf({ pruneAt: due === null ? null : NOW + due });
    const at = retention.nextDeadline(isConnected, NOW);
    return at === null ? null : at - NOW;
  }

  it("is tomorrow if it has passed", ({ expect }) => {
    expect([deadline(7, false), deadline(1, false), deadline(0, false), deadline(-7, false)]).toEqual([7, 1, DAY, DAY]);
    expect(deadline(null, false)).toBeNull();
  });

  it("is none beyond 30 days while the terminal is connected", ({ expect }) => {
    const far = 30 * DAY;
    expect([deadline(far, true), deadline(far + 1, true), deadline(far + 1, false)]).toEqual([far, null, far + 1]);
  });

  it("is 400 days and one after the first thing is stored", ({ expect }) => {
    const { retention, records } = retentionOf({});
    retention.stored(NOW);
    retention.stored(NOW + DAY);
    expect(records.record?.pruneAt).toBe(NOW + LIFE + DAY);
  });
});

describe("a step that deletes", () => {
  it("continues after a second where it stopped, and returns daily", ({ expect }) => {
    const now = 1_000 * DAY;
    const steps: [before: number, after: number][] = [];
    const reached = [70, 90, null];
    let orphans = 0;
    const { retention, records } = retentionOf(
      { pruneAt: now },
      {
        journal: {
          oldestCompleted: () => now - LIFE - DAY,
          prune: (before, after) => {
            steps.push([before, after]);
            return reached.shift() ?? null;
          },
        },
        reports: { oldestOrphan: () => null, pruneOrphans: () => void (orphans += 1) },
      },
    );
    retention.step(now - 1);
    expect(steps).toEqual([]);
    for (const at of [now, now + SECOND, now + 2 * SECOND]) {
      retention.step(at);
      retention.step(at);
    }
    expect([steps.map(([, after]) => after), orphans]).toEqual([[0, 70, 90], 1]);
    expect(steps[0]).toEqual([now - LIFE, 0]);
    expect(records.record).toMatchObject({ pruneAt: now + 2 * SECOND + DAY, pruneAfter: 0 });
  });

  it("waits for the oldest row or result, if any is left", ({ expect }) => {
    const now = 1_000 * DAY;
    for (const [row, orphan, due] of [
      [2 * DAY, 3 * DAY, 2 * DAY],
      [3 * DAY, 2 * DAY, 2 * DAY],
      [-DAY, null, DAY],
      [null, null, null],
    ] as const) {
      const oldest = (in_: number | null) => () => (in_ === null ? null : now + in_ - LIFE - DAY);
      const { retention, records } = retentionOf(
        { pruneAt: now },
        {
          journal: { oldestCompleted: oldest(row), prune: () => null },
          reports: { oldestOrphan: oldest(orphan), pruneOrphans: () => undefined },
        },
      );
      retention.step(now);
      expect(records.record?.pruneAt).toBe(due === null ? null : now + due);
    }
  });
});
