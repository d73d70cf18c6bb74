import { describe, it } from "vitest";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import { type StoredSession, Sessions } from "../../../../../src/gateway/account/storage/sessions.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";

const SESSION: StoredSession = {
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

const ROTATED: StoredSession = { ...SESSION, sessionId: "b", previousRefreshId: "before", rotatedAt: 3 };

function withSessions(): { sql: SqlStorage; sessions: Sessions } {
  const sql = memoryStorage(ACCOUNT_MIGRATIONS);
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
