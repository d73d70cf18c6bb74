/** What the account's object checks about a POS's message, in which order, and what it writes (I1). */
import { describe, it } from "vitest";
import { UNKNOWN_REFERENCES_A_DAY } from "../../../../src/protocol/limits.ts";
import { AccountParts, SIGNING_KEY } from "./parts.ts";
import { INQUIRY, OPEN } from "../../../support/gateway/account/samples.ts";
import { PRUNE_EVERY } from "../../../../src/gateway/account/pruning.ts";

const DAY = 86_400_000;
const HOUR = DAY / 24;
const CANCEL = { kind: "cancel" } as const;

describe("a message to an account", () => {
  it("gets the terms and the current key if it passes", ({ expect }) => {
    const parts = new AccountParts();
    expect(parts.admit()).toEqual({
      kind: "admitted",
      terms: { posId: "pos-1", merchantId: "M-1", currency: "MYR", timezone: "Asia/Kuala_Lumpur", version: 0 },
      signingKey: SIGNING_KEY,
      recorded: false,
    });
  });

  it("is refused for one reason, in the order of the checks", ({ expect }) => {
    const parts = new AccountParts();
    parts.claims.save({ ...emptyClaim, deviceId: "T-2", admittedAt: parts.now });
    const wrong = { sessionId: "none", posId: "pos-9", signature: null, deviceId: "T-9" };
    parts.records.update({ status: "suspended" });
    expect(parts.admit(wrong)).toEqual({ kind: "not-active", status: "suspended" });
    parts.records.update({ status: "active" });
    expect(parts.admit(wrong)).toEqual({ kind: "session-ended" });
    expect(parts.admit({ ...wrong, sessionId: parts.sessionId })).toEqual({ kind: "other-account" });
    expect(parts.admit({ signature: null, deviceId: "T-9" })).toEqual({ kind: "wrong-signature", bound: false });
    expect(parts.admit({ signature: null })).toEqual({ kind: "wrong-signature", bound: true });
    expect(parts.admit({ deviceId: "T-9" })).toEqual({ kind: "no-such-device" });
    expect(parts.admit()).toEqual({ kind: "elsewhere", holder: "T-2", open: false });
    parts.devices.save({ terminalId: "T-1", bindingVersion: 2, bound: false });
    expect(parts.admit()).toEqual({ kind: "elsewhere", holder: null, open: false });
    expect(parts.admit({ signature: null })).toEqual({ kind: "wrong-signature", bound: false });
    parts.records.update({ signingKey: "unreadable" });
    expect(parts.admit()).toEqual({ kind: "unreadable-key" });
  });

  it("is refused after its session ends or its device changes account", ({ expect }) => {
    const parts = new AccountParts();
    const other = parts.open().sessionId;
    for (const sessionId of [parts.sessionId, other]) expect(parts.admit({ sessionId }).kind).toBe("admitted");
    parts.sessions.end(other);
    expect(parts.admit({ sessionId: other })).toEqual({ kind: "session-ended" });
    expect(parts.admit().kind).toBe("admitted");
    parts.devices.save({ terminalId: "T-1", bindingVersion: 2, bound: false });
    expect(parts.admit({ signature: null })).toEqual({ kind: "wrong-signature", bound: false });
    parts.sessions.endAll();
    expect(parts.admit()).toEqual({ kind: "session-ended" });
  });

  it("shows whether its reference has a recorded transaction", ({ expect }) => {
    const parts = new AccountParts();
    expect(parts.admit()).toMatchObject({ recorded: false });
    expect(parts.admit()).toMatchObject({ recorded: false });
    parts.recordAll(parts.entry("R-1", OPEN));
    expect(parts.admit()).toMatchObject({ recorded: true });
    expect(parts.admit(INQUIRY)).toMatchObject({ recorded: true });
    expect(parts.admit({ ...INQUIRY, transType: "getLast" })).toMatchObject({ kind: "admitted", recorded: false });
  });
});

const emptyClaim = {
  referenceId: "R-1",
  requestId: null,
  revision: 0,
  event: null,
  completedAt: null,
  voided: null,
};

describe("an admitted message", () => {
  it("claims its reference for its device", ({ expect }) => {
    const parts = new AccountParts();
    parts.admit();
    expect(parts.claims.find("R-1")).toEqual({ ...emptyClaim, deviceId: "T-1", admittedAt: parts.now });
  });

  it("writes the time of the claim again once a day", ({ expect }) => {
    const parts = new AccountParts();
    const first = parts.now;
    parts.admit();
    const { sessionId } = parts;
    parts.now += DAY - 1;
    parts.admit({ sessionId });
    expect(parts.claims.find("R-1")?.admittedAt).toBe(first);
    parts.now += 1;
    parts.admit(INQUIRY);
    expect(parts.claims.find("R-1")?.admittedAt).toBe(first);
    parts.admit();
    expect(parts.claims.find("R-1")).toEqual({ ...emptyClaim, deviceId: "T-1", admittedAt: first + DAY });
  });

  it("claims and counts nothing if it only reads", ({ expect }) => {
    const parts = new AccountParts();
    const before = parts.record;
    expect(parts.admit(INQUIRY)).toMatchObject({ kind: "admitted", recorded: false });
    expect(parts.claims.find("R-1")).toBeNull();
    expect(parts.record).toBe(before);
  });

  it("sets the time to look for old references, unless it is set", ({ expect }) => {
    const parts = new AccountParts();
    const first = parts.now;
    parts.admit();
    expect(parts.record.pruneAt).toBe(first + PRUNE_EVERY);
    parts.now += HOUR;
    parts.admit({ referenceId: "R-2" });
    expect(parts.record.pruneAt).toBe(first + PRUNE_EVERY);
  });
});

describe("references that are only asked about", () => {
  it("are counted by day, and transactions and known references are not", ({ expect }) => {
    const parts = new AccountParts();
    parts.admit({ ...CANCEL, referenceId: "a" });
    parts.admit({ ...CANCEL, referenceId: "b" });
    parts.admit({ ...CANCEL, referenceId: "b" });
    parts.admit({ referenceId: "c" });
    const day = Math.floor(parts.now / DAY);
    expect(parts.record).toMatchObject({ askedDay: day, askedCount: 2 });
    parts.now += DAY;
    parts.admit({ ...INQUIRY, namedReferenceId: "d" });
    expect(parts.record).toMatchObject({ askedDay: day + 1, askedCount: 1 });
  });

  it("exclude a sale of 400 days ago that is not deleted yet", ({ expect }) => {
    const parts = new AccountParts();
    parts.claims.save({ ...emptyClaim, deviceId: "T-2", requestId: 7, completedAt: 0, admittedAt: 0 });
    const day = Math.floor(parts.now / DAY);
    parts.records.update({ askedDay: day, askedCount: UNKNOWN_REFERENCES_A_DAY });
    expect(parts.admit()).toMatchObject({ kind: "admitted", recorded: false });
    expect(parts.claims.find("R-1")).toEqual({ ...emptyClaim, deviceId: "T-1", admittedAt: parts.now });
    expect(parts.record.askedCount).toBe(UNKNOWN_REFERENCES_A_DAY);
  });

  it("are refused beyond the limit until the UTC day ends, claiming nothing", ({ expect }) => {
    const parts = new AccountParts();
    const day = Math.floor(parts.now / DAY);
    parts.records.update({ askedDay: day, askedCount: UNKNOWN_REFERENCES_A_DAY - 1 });
    expect(parts.admit({ ...CANCEL, referenceId: "a" }).kind).toBe("admitted");
    const refused = { kind: "too-many-unknown", retryAt: (day + 1) * DAY };
    expect(parts.admit({ ...CANCEL, referenceId: "b" })).toEqual(refused);
    expect(parts.claims.find("b")).toBeNull();
    expect(parts.admit({ ...CANCEL, referenceId: "a" }).kind).toBe("admitted");
    parts.now = (day + 1) * DAY - 1;
    expect(parts.admit({ ...CANCEL, referenceId: "b" })).toEqual(refused);
    parts.now += 1;
    expect(parts.admit({ ...CANCEL, referenceId: "b" }).kind).toBe("admitted");
  });
});
