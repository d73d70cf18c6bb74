/** Sessions as they are kept, and whether one has ended: waiting readers depend on it. */
import { describe, it } from "vitest";
import { MIGRATIONS } from "../../../src/account/storage/schema.ts";
import { type Session, Sessions } from "../../../src/account/storage/sessions.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

const SESSION: Session = {
  sessionId: "a",
  pair: {
    kid: "test-1",
    timezone: "Asia/Kuala_Lumpur",
    issuedAt: 1,
    accessId: "access",
    accessExpiresAt: 2,
    refreshId: "refresh",
    refreshExpiresAt: 1_000,
    devices: ["T-1", "T-2"],
  },
  previousRefreshId: null,
  rotatedAt: null,
};

const ROTATED: Session = { ...SESSION, sessionId: "b", previousRefreshId: "before", rotatedAt: 3 };

function withSessions(): { sql: SqlStorage; sessions: Sessions } {
  const sql = memoryStorage(MIGRATIONS);
  const sessions = new Sessions(sql);
  sessions.save(SESSION);
  sessions.save(ROTATED);
  return { sql, sessions };
}

describe("a session", () => {
  it("is found as it was saved", ({ expect }) => {
    const { sessions } = withSessions();
    expect([sessions.find("a"), sessions.find("b"), sessions.find("c")]).toEqual([SESSION, ROTATED, null]);
    expect(["a", "b", "c"].map((id) => sessions.has(id))).toEqual([true, true, false]);
    sessions.save({ ...ROTATED, sessionId: "a" });
    expect(sessions.find("a")).toEqual({ ...ROTATED, sessionId: "a" });
  });

  it("is read once, until any session ends", ({ expect }) => {
    const { sql, sessions } = withSessions();
    expect([sessions.has("a"), sessions.has("c"), sessions.has("c")]).toEqual([true, false, false]);
    sql.exec("DELETE FROM sessions WHERE session_id = 'a'");
    expect(sessions.has("a")).toBe(true);
    sessions.end("b");
    expect(sessions.has("a")).toBe(false);
  });

  it("that began in an undone turn is not found", ({ expect }) => {
    const { sql, sessions } = withSessions();
    sql.exec("BEGIN");
    sessions.save({ ...SESSION, sessionId: "c" });
    expect(sessions.has("c")).toBe(true);
    sql.exec("ROLLBACK");
    sessions.rollBack();
    expect(sessions.has("c")).toBe(false);
  });

  it("is not found once it has ended", ({ expect }) => {
    const { sessions } = withSessions();
    sessions.end("a");
    expect([sessions.find("a"), sessions.has("a"), sessions.has("b")]).toEqual([null, false, true]);
    sessions.endAll();
    expect(sessions.has("b")).toBe(false);
  });

  it("is forgotten when its tokens have expired", ({ expect }) => {
    const { sessions } = withSessions();
    sessions.save({ ...SESSION, sessionId: "c", pair: { ...SESSION.pair, refreshExpiresAt: 1_001 } });
    sessions.forgetEnded(999);
    expect(sessions.has("a")).toBe(true);
    sessions.forgetEnded(1_000);
    expect(["a", "b", "c"].map((id) => sessions.has(id))).toEqual([false, false, true]);
  });
});

describe("the end of a session", () => {
  it.for([
    ["one ends", (sessions: Sessions) => sessions.end("a")],
    ["all end", (sessions: Sessions) => sessions.endAll()],
    ["one has expired", (sessions: Sessions) => sessions.forgetEnded(1_000)],
  ] as const)("is reported once: %s", ([, end], { expect }) => {
    const { sessions } = withSessions();
    expect(sessions.takeEnded()).toBe(false);
    end(sessions);
    // What follows in the same turn does not take it back.
    sessions.end("none");
    expect([sessions.takeEnded(), sessions.takeEnded()]).toEqual([true, false]);
  });

  it("is not reported if none has ended, or its turn is undone", ({ expect }) => {
    const { sessions } = withSessions();
    sessions.end("none");
    sessions.forgetEnded(0);
    expect(sessions.takeEnded()).toBe(false);
    sessions.end("a");
    sessions.rollBack();
    expect(sessions.takeEnded()).toBe(false);
  });
});
