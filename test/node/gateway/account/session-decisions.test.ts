/** What an account's sessions allow, and which tokens each one has. */
import { describe, it } from "vitest";
import {
  endSession,
  openSession,
  openSignedSession,
  refreshSession,
  sessionStanding,
} from "../../../../src/gateway/account/sessions.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../src/gateway/account/storage/schema.ts";
import { AccountTables } from "../../../../src/gateway/account/storage/tables.ts";
import { REFRESH_REPEAT } from "../../../../src/protocol/limits.ts";
import { memoryStorage } from "../../../support/memory-storage.ts";
import { AccountParts, MASTER_KEYS } from "./parts.ts";

const DAY = 86_400_000;

function signedLogin(parts: AccountParts) {
  const { signedForm, signature } = parts.question();
  return { signedForm, signature: signature ?? "", until: parts.now + 900_000 };
}

describe("an object without an account", () => {
  it("refuses every session", ({ expect }) => {
    const tables = new AccountTables(memoryStorage(ACCOUNT_MIGRATIONS));
    const unknown = { kind: "unknown" };
    expect(openSession(tables, "test-1", 0)).toEqual(unknown);
    expect(openSignedSession(tables, MASTER_KEYS, { ...signedLogin(new AccountParts()), kid: "test-1" }, 0)).toEqual(
      unknown,
    );
    expect(sessionStanding(tables, "none")).toEqual(unknown);
    expect(refreshSession(tables, { sessionId: "none", refreshId: "none" }, "test-1", 0)).toEqual(unknown);
    expect(endSession(tables, "none")).toEqual(unknown);
  });
});

describe("a new session", () => {
  it("forgets the sessions whose tokens have expired", ({ expect }) => {
    const parts = new AccountParts();
    parts.now += DAY;
    parts.open();
    expect(parts.sessions.find(parts.sessionId)).toBeNull();
  });
});

describe("a signed login", () => {
  it("opens a session once, in either case of its signature", ({ expect }) => {
    const parts = new AccountParts();
    const login = signedLogin(parts);
    const open = (signature: string) =>
      openSignedSession(parts, MASTER_KEYS, { ...login, signature, kid: "test-1" }, parts.now);
    const opened = open(login.signature.toUpperCase());
    expect(opened).toMatchObject({ kind: "opened", pair: { kid: "test-1" } });
    expect(open(login.signature)).toEqual({ kind: "used" });
    expect(open(login.signature.toUpperCase())).toEqual({ kind: "used" });
  });

  it("is refused with a wrong signature, an unreadable key, or while suspended", ({ expect }) => {
    const parts = new AccountParts();
    const { records, now } = parts;
    const login = signedLogin(parts);
    records.update({ status: "suspended" });
    const wrong = { ...login, signedForm: "{}" };
    expect(openSignedSession(parts, MASTER_KEYS, { ...wrong, kid: "test-1" }, now)).toEqual({ kind: "wrong" });
    const suspended = { kind: "not-active", status: "suspended" };
    expect(openSignedSession(parts, MASTER_KEYS, { ...login, kid: "test-1" }, now)).toEqual(suspended);
    records.update({ status: "active" });
    expect(openSignedSession(parts, MASTER_KEYS, { ...login, kid: "test-1" }, now).kind).toBe("opened");
    records.update({ signingKey: "unreadable" });
    expect(openSignedSession(parts, MASTER_KEYS, { ...login, kid: "test-1" }, now)).toEqual({ kind: "unreadable" });
  });
});

describe("a refresh token", () => {
  it("is exchanged for a new pair, and briefly for the same again", ({ expect }) => {
    const parts = new AccountParts();
    const { sessionId, pair } = parts.open();
    parts.now += 1_000;
    const refresh = (refreshId: string) => refreshSession(parts, { sessionId, refreshId }, "test-2", parts.now);
    const refreshed = refresh(pair.refreshId);
    if (refreshed.kind !== "refreshed") throw new Error(refreshed.kind);
    expect(refreshed.pair).toMatchObject({ kid: "test-2", timezone: "Asia/Kuala_Lumpur", issuedAt: parts.now });
    expect(refreshed.pair.refreshId).not.toBe(pair.refreshId);
    expect(parts.sessions.find(sessionId)).toEqual({
      sessionId,
      pair: refreshed.pair,
      previousRefreshId: pair.refreshId,
      rotatedAt: parts.now,
    });
    parts.now += REFRESH_REPEAT;
    expect(refresh(pair.refreshId)).toEqual(refreshed);
    parts.now += 1;
    expect(refresh(pair.refreshId)).toEqual({ kind: "used" });
    expect(sessionStanding(parts, sessionId)).toEqual({ kind: "session-ended" });
  });

  it("ends the session if it was never the session's", ({ expect }) => {
    const parts = new AccountParts();
    expect(refreshSession(parts, { sessionId: parts.sessionId, refreshId: "another" }, "test-1", parts.now)).toEqual({
      kind: "used",
    });
    expect(parts.sessions.has(parts.sessionId)).toBe(false);
  });

  it("ends the session if unknown, even moments after an exchange", ({ expect }) => {
    const parts = new AccountParts();
    const { sessionId, pair } = parts.open();
    const refresh = (refreshId: string) => refreshSession(parts, { sessionId, refreshId }, "test-1", parts.now);
    expect(refresh(pair.refreshId).kind).toBe("refreshed");
    expect(refresh("another")).toEqual({ kind: "used" });
  });

  it("gets nothing for an ended session or a suspended account", ({ expect }) => {
    const parts = new AccountParts();
    const { sessionId, pair } = parts.open();
    const refresh = () => refreshSession(parts, { sessionId, refreshId: pair.refreshId }, "test-1", parts.now);
    parts.records.update({ status: "suspended" });
    expect(refresh()).toEqual({ kind: "not-active", status: "suspended" });
    expect(endSession(parts, sessionId)).toEqual({ kind: "not-active", status: "suspended" });
    expect(parts.sessions.has(sessionId)).toBe(true);
    parts.records.update({ status: "active" });
    expect(endSession(parts, sessionId).kind).toBe("good");
    expect(refresh()).toEqual({ kind: "session-ended" });
    expect(endSession(parts, sessionId)).toEqual({ kind: "session-ended" });
  });
});
