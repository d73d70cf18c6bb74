/** When a turn begins a transaction, and when it sets the alarm. */
import { describe, it, onTestFinished, vi } from "vitest";
import { OwnRow, plain, type Sql, TurnSql } from "../../src/objects/storage/rows.ts";
import { Turns } from "../../src/objects/turns.ts";

/** Turns of an object without tables; `done` is what they did, in order, and `alarms` the times that they set. */
function object(nextDeadline: (now: number) => number | null = () => null) {
  const done: string[] = [];
  const alarms: number[] = [];
  const send = vi.fn(() => void done.push("send"));
  const exec = (query: string): object => ({ query: done.push(query) });
  const sql = new TurnSql({ exec } as unknown as Sql);
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
    sql,
    participants: [{ commit: send, rollBack: () => done.push("undo") }],
    startWork: () => undefined,
    nextDeadline,
  });
  return { turns, sql, done, alarms, send };
}

function fail(): never {
  throw new Error("broken on purpose");
}

describe("a turn", () => {
  it("begins its parts before the work, finishes them after it, and acts once the rows are written", ({ expect }) => {
    const done: string[] = [];
    const note = (what: string) => () => void done.push(what);
    const partOf = (name: string) => ({
      begin: note(`begin ${name}`),
      finish: note(`finish ${name}`),
      commit: note(`commit ${name}`),
      rollBack: note(`undo ${name}`),
    });
    const turns = new Turns({
      storage: { setAlarm: async () => undefined, transactionSync: (work) => work() },
      participants: [partOf("one"), partOf("two")],
      startWork: note("start"),
      nextDeadline: () => null,
    });
    turns.take(note("work"));
    const begun = ["begin one", "begin two"];
    const written = ["finish one", "finish two", "commit one", "commit two"];
    expect(done.splice(0)).toEqual([...begun, "work", ...written, "start"]);
    expect(() => turns.take(fail)).toThrow("broken on purpose");
    expect(done).toEqual([...begun, "undo one", "undo two"]);
  });
});

describe("an object's own row", () => {
  it("is written once, at the end of a turn that has changed it", ({ expect }) => {
    const written: unknown[][] = [];
    const exec = (query: string, ...values: unknown[]): object => {
      if (!query.startsWith("SELECT")) written.push(values);
      return { toArray: () => [{ count: 2 }] };
    };
    const row = new OwnRow({ exec } as unknown as Sql, "own", { count: plain<number>("count", 0) });
    row.update({ count: 3 });
    row.update({ count: 4 });
    row.finish();
    row.finish();
    row.defer({ count: 5 });
    row.finish();
    expect(written).toEqual([[1, 4]]);
    row.update({ count: 6 });
    row.rollBack();
    row.finish();
    expect([row.record, written.length]).toEqual([{ count: 2 }, 1]);
  });
});

describe("an object without an identity", () => {
  it("has no row that changes", ({ expect }) => {
    const sql = { exec: () => ({ toArray: () => [] }) } as unknown as Sql;
    const row = new OwnRow(sql, "own", { count: plain<number>("count", 0) });
    row.defer({ count: 5 });
    expect(row.record).toBeNull();
    expect(() => row.update({ count: 5 })).toThrow("no identity");
  });
});

describe("a turn that rarely writes", () => {
  it("begins no transaction if it only reads", ({ expect }) => {
    const { turns, sql, done } = object();
    turns.takeLightly(() => sql.exec(" SELECT 1"));
    expect(done).toEqual([" SELECT 1", "send"]);
  });

  it("is undone before its first write, and starts again in a transaction", ({ expect }) => {
    const { turns, sql, done } = object();
    const work = (): string => {
      sql.exec("SELECT 1");
      sql.exec("UPDATE one SET two = 3");
      return "result";
    };
    expect(turns.takeLightly(work)).toBe("result");
    const within = ["begin", "SELECT 1", "UPDATE one SET two = 3", "commit"];
    expect(done).toEqual(["SELECT 1", "undo", ...within, "send"]);
  });

  it("that fails sends nothing, and neither does one that fails when it starts again", ({ expect }) => {
    const { turns, sql, done } = object();
    expect(() => turns.takeLightly(fail)).toThrow("broken on purpose");
    expect(done.splice(0)).toEqual(["undo"]);
    const failLate = (): never => {
      sql.exec("DELETE FROM one");
      return fail();
    };
    expect(() => turns.takeLightly(failLate)).toThrow("broken on purpose");
    expect(done).toEqual(["undo", "begin", "DELETE FROM one", "undo"]);
  });

  it("leaves the next turn free to write", ({ expect }) => {
    const { turns, sql, done } = object();
    turns.takeLightly(() => sql.exec("SELECT 1"));
    done.splice(0);
    turns.take(() => sql.exec("DELETE FROM one"));
    expect(done).toEqual(["begin", "DELETE FROM one", "commit", "send"]);
  });
});

describe("the alarm", () => {
  it("is set only for a deadline before the one that is set, because each is a row written", ({ expect }) => {
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

  it("is set again after a moment if the next deadline is unknown, and what the turn did counts", ({ expect }) => {
    const deadline = vi.fn(() => Date.now() + 60_000);
    const { turns, sql, done, alarms } = object(deadline);
    deadline.mockImplementationOnce(fail);
    turns.takeAlarm(() => {
      sql.exec("UPDATE one SET two = 3");
    });
    expect(done).toEqual(["begin", "UPDATE one SET two = 3", "commit", "send"]);
    expect(alarms).toEqual([expect.toSatisfy(isSoon)]);
    // The same for a turn that is not the alarm's: its caller gets the result.
    const other = object(deadline);
    deadline.mockImplementationOnce(fail);
    expect(other.turns.take(() => "result")).toBe("result");
    expect(other.alarms).toEqual([expect.toSatisfy(isSoon)]);
  });

  it("is set again after a moment if its work fails, also if nothing else is due", ({ expect }) => {
    const { turns, done, alarms } = object();
    turns.takeAlarm(fail);
    expect(done).toEqual(["begin", "undo"]);
    expect(alarms).toEqual([expect.toSatisfy(isSoon)]);
  });

  it("rings at once for a deadline that has passed, and five seconds after a turn that failed", ({ expect }) => {
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
    expect(alarms).toEqual([due]);
  });
});

function isSoon(time: number): boolean {
  return time > Date.now() && time <= Date.now() + 10_000;
}
