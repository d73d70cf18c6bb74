/** When a turn begins a transaction. */
import { describe, it } from "vitest";
import { type Sql, TurnSql } from "../../src/objects/storage/turn-sql.ts";
import { Turns } from "../../src/objects/turns.ts";

/** Turns of an object without tables; `done` is what they did, in order. */
function object(): { turns: Turns; sql: TurnSql; done: string[] } {
  const done: string[] = [];
  const exec = (query: string): object => ({ query: done.push(query) });
  const sql = new TurnSql({ exec } as unknown as Sql);
  const turns = new Turns({
    storage: {
      setAlarm: async () => void done.push("alarm"),
      transactionSync(work) {
        done.push("begin");
        const result = work();
        done.push("commit");
        return result;
      },
    },
    sql,
    participants: [{ commit: () => done.push("send"), rollBack: () => done.push("undo") }],
    startWork: () => undefined,
    nextDeadline: () => null,
  });
  return { turns, sql, done };
}

function fail(): never {
  throw new Error("broken on purpose");
}

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
