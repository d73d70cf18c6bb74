/** What a turn does in its transaction, what after it, and when it sets the alarm. */
import { describe, it, onTestFinished, vi } from "vitest";
import { log } from "../../../../src/gateway/lib/log.ts";
import { OwnRow, type Sql } from "../../../../src/gateway/durable/storage/rows.ts";
import { type Schedule, Turns } from "../../../../src/gateway/durable/turns.ts";

/** Turns of an object without tables; `done` is what they did, in order, and `alarms` the times that they set. */
function object(nextDeadline: Schedule["startDue"] = () => null) {
  const done: string[] = [];
  const alarms: number[] = [];
  const send = vi.fn(() => void done.push("send"));
  const write = (): void => void done.push("write");
  const turns = new Turns({
    storage: {
      setAlarm: async (time) => void alarms.push(Number(time)),
      transactionSync(work) {
        done.push("begin");
        const result = work();
        done.push("commit");
        return result;
      },
    },
    participants: [{ commit: send }],
    schedules: () => [{ startDue: nextDeadline }],
  });
  return { turns, write, done, alarms, send };
}

function fail(): never {
  throw new Error("broken on purpose");
}

describe("a turn", () => {
  it("begins parts, works, finishes parts, writes rows, and then acts", ({ expect }) => {
    const done: string[] = [];
    const note = (what: string) => () => void done.push(what);
    const partOf = (name: string) => ({
      begin: note(`begin ${name}`),
      finish: note(`finish ${name}`),
      commit: note(`commit ${name}`),
      forget: note(`forget ${name}`),
    });
    const turns = new Turns({
      storage: { setAlarm: async () => undefined, transactionSync: (work) => work() },
      participants: [partOf("one"), partOf("two")],
      schedules: () => [{ startDue: () => (done.push("start"), null) }],
    });
    turns.take(note("work"));
    const forgot = ["forget one", "forget two"];
    const begun = [...forgot, "begin one", "begin two"];
    const written = ["finish one", "finish two", "commit one", "commit two"];
    expect(done.splice(0)).toEqual([...begun, "work", ...written, "start", ...forgot]);
    expect(() => turns.take(fail)).toThrow("broken on purpose");
    expect(done).toEqual([...begun, ...forgot]);
  });
});

const note = () => log("info", "resync_completed", {});

describe("what a turn logs", () => {
  it("is written after its commit, and only if it is not undone", ({ expect }) => {
    const { turns, done } = object();
    const lines = vi.spyOn(console, "log").mockImplementation((line: string) => void done.push(line));
    onTestFinished(() => lines.mockRestore());
    turns.take(note);
    const line = JSON.stringify({ level: "info", event: "resync_completed" });
    expect(done.splice(0)).toEqual(["begin", "commit", line, "send"]);
    expect(() =>
      turns.take(() => {
        note();
        fail();
      }),
    ).toThrow("broken on purpose");
    expect(done).not.toContain(line);
    turns.take(() => turns.tryWithin("journal_not_pruned", () => (note(), fail())));
    expect(done).not.toContain(line);
    note();
    expect(done).toContain(line);
  });
});

describe("an object's own row", () => {
  it("is written once, at the end of a turn that changed it", ({ expect }) => {
    const written: unknown[][] = [];
    const exec = (query: string, ...values: unknown[]): object => {
      if (!query.startsWith("SELECT")) written.push(values);
      return { toArray: () => [{ record: '{"count":2}' }] };
    };
    const row = new OwnRow({ exec } as unknown as Sql, "own", { count: 0 });
    row.update({ count: 3 });
    row.update({ count: 4 });
    row.finish();
    row.forget();
    row.finish();
    expect(written).toEqual([[1, '{"count":4}']]);
    row.update({ count: 6 });
    row.forget();
    row.finish();
    expect([row.record, written.length]).toEqual([{ count: 2 }, 1]);
  });
});

describe("a member that a stored row lacks", () => {
  it("has its initial value", ({ expect }) => {
    const sql = { exec: () => ({ toArray: () => [{ record: '{"count":2}' }] }) } as unknown as Sql;
    expect(new OwnRow(sql, "own", { count: 0, colour: "red" }).record).toEqual({ count: 2, colour: "red" });
  });
});

describe("an object without an identity", () => {
  it("has no row that changes", ({ expect }) => {
    const sql = { exec: () => ({ toArray: () => [] }) } as unknown as Sql;
    const row = new OwnRow(sql, "own", { count: 0 });
    expect(row.record).toBeNull();
    expect(() => row.update({ count: 5 })).toThrow("no identity");
  });
});

describe("the alarm", () => {
  it("is set only for a deadline before the current one", ({ expect }) => {
    const at = Date.now() + 60_000;
    const due = [at, at, at + 1, null, at - 1];
    const { turns, alarms } = object(() => due.shift() ?? null);
    while (due.length > 0) turns.take(() => null);
    expect(alarms).toEqual([at, at - 1]);
    const next = object(() => at);
    next.turns.alarmIsAt(at);
    next.turns.take(() => null);
    expect(next.alarms).toEqual([]);
    next.turns.takeAlarm(() => undefined);
    expect(next.alarms).toEqual([at]);
  });

  it("is set again shortly if the next deadline is unknown", ({ expect }) => {
    const deadline = vi.fn(() => Date.now() + 60_000);
    const { turns, write, done, alarms } = object(deadline);
    deadline.mockImplementationOnce(fail);
    turns.takeAlarm(write);
    expect(done).toEqual(["begin", "write", "commit", "send"]);
    expect(alarms).toEqual([expect.toSatisfy(isSoon)]);
    // The same for a turn that is not the alarm's: its caller gets the result.
    const other = object(deadline);
    deadline.mockImplementationOnce(fail);
    expect(other.turns.take(() => "result")).toBe("result");
    expect(other.alarms).toEqual([expect.toSatisfy(isSoon)]);
  });

  it("is set again shortly if its work fails", ({ expect }) => {
    const { turns, done, alarms } = object();
    turns.takeAlarm(fail);
    expect(done).toEqual(["begin"]);
    expect(alarms).toEqual([expect.toSatisfy(isSoon)]);
  });

  it("rings at once for a past deadline, later after a failure", ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    for (const due of [999_999, 1_000_000]) {
      const [done, failed] = [object(() => due), object(() => due)];
      done.turns.take(() => null);
      expect(() => failed.turns.take(fail)).toThrow("broken on purpose");
      expect([done.alarms[0], failed.alarms]).toEqual([
        expect.toSatisfy((time: number) => time <= 1_000_000),
        [1_005_000],
      ]);
    }
  });

  it("is set even if the rows are written and the sockets fail", ({ expect }) => {
    const due = Date.now() + 60_000;
    const { turns, alarms, send } = object(() => due);
    send.mockImplementationOnce(fail);
    expect(() => turns.take(() => null)).toThrow("broken on purpose");
    expect(alarms).toEqual([expect.toSatisfy(isSoon)]);
    turns.takeAlarm(() => undefined);
    expect(alarms).toEqual([expect.anything(), due]);
  });
});

/** A schedule that is asked, and one that is asked only if it says that it has changed. */
function scheduled() {
  const asked: string[] = [];
  const setAlarm = vi.fn(async () => undefined);
  const own = {
    changed: false,
    hasChanged: () => own.changed,
    startDue: () => (asked.push("own"), Date.now() + 60_000),
  };
  const turns = new Turns({
    storage: { setAlarm, transactionSync: (work) => work() },
    participants: [],
    schedules: () => [own, { startDue: () => (asked.push("other"), null) }],
  });
  return { turns, own, setAlarm, asked: (work: () => void) => (work(), asked.splice(0)) };
}

const nothing = (): void => undefined;

describe("a schedule", () => {
  it("is not asked again after a turn that cannot change it", ({ expect }) => {
    const { turns, own, asked } = scheduled();
    expect(asked(() => turns.take(nothing))).toEqual(["own", "other"]);
    expect(asked(() => turns.take(nothing))).toEqual(["other"]);
    own.changed = true;
    expect(asked(() => turns.take(nothing))).toEqual(["own", "other"]);
  });

  it("is asked in the alarm's turn, when no alarm is set", ({ expect }) => {
    const { turns, asked } = scheduled();
    turns.take(nothing);
    expect(asked(() => turns.takeAlarm(nothing)).slice(-2)).toEqual(["own", "other"]);
  });

  it("is asked again after a turn that failed", ({ expect }) => {
    const { turns, asked } = scheduled();
    turns.take(nothing);
    expect(() => turns.take(fail)).toThrow("broken on purpose");
    asked(nothing);
    expect(asked(() => turns.take(nothing))).toEqual(["own", "other"]);
  });

  it("is asked again if the alarm could not be set", async ({ expect }) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => void vi.restoreAllMocks());
    const { turns, setAlarm, asked } = scheduled();
    setAlarm.mockRejectedValueOnce(new Error("the disk is full"));
    turns.take(nothing);
    await Promise.resolve();
    asked(nothing);
    expect(asked(() => turns.take(nothing))).toEqual(["own", "other"]);
    expect(setAlarm).toHaveBeenCalledTimes(2);
  });
});

function isSoon(time: number): boolean {
  return time > Date.now() && time <= Date.now() + 10_000;
}
