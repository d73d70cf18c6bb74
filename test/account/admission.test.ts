/** What an account's object admits, and to which device it gives a reference (I1). */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { accountStub } from "../../src/rpc/account.ts";
import { UNKNOWN_REFERENCES_A_DAY } from "../../src/protocol/limits/messages.ts";
import { DAY } from "../../src/time/units.ts";
import { skip, useFakeClock } from "../support/clock.ts";
import { uniqueId } from "../support/gateway.ts";
import { KID, openBooks, PASSWORD, sealedKey } from "./books.ts";
import { INQUIRY } from "./samples.ts";

useFakeClock();

const HOUR = DAY / 24;

describe("an account's object admits", () => {
  it("a signed message of an open session about a terminal of the account, with the terms of now", async ({
    expect,
  }) => {
    const books = await openBooks();
    const { posId } = books;
    const terms = { posId, merchantId: "M-1", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };
    expect(await books.object.admit(books.question())).toMatchObject({ kind: "admitted", terms, recorded: false });
  });

  it("a message that names no reference, which claims nothing", async ({ expect }) => {
    const books = await openBooks();
    const admitted = await books.object.admit(books.question({ ...INQUIRY, transType: "getLast" }));
    expect(admitted).toMatchObject({ kind: "admitted", recorded: false });
  });

  it("the same message again, as often as its answer is lost", async ({ expect }) => {
    const books = await openBooks();
    const question = books.question();
    const first = await books.object.admit(question);
    await abortAllDurableObjects();
    expect(await accountStub(env, books.posId).admit(question)).toEqual(first);
  });

  it("a message that is signed with the key before, until its day is over", async ({ expect }) => {
    const books = await openBooks();
    await books.object.rotateKey(sealedKey(books.posId, "new key"), false, "tester");
    const old = await books.object.admit(books.question());
    expect(old).toMatchObject({ kind: "admitted", signingKey: books.signingKey });
    const current = await books.object.admit(books.question({}, "new key"));
    expect(current).toMatchObject({ kind: "admitted", signingKey: "new key" });
    skip(DAY);
    expect((await books.object.admit(books.question())).kind).toBe("wrong-signature");
  });
});

describe("an account's object refuses", () => {
  it("a device that was never bound to the account, and claims nothing for it", async ({ expect }) => {
    const books = await openBooks();
    const elsewhere = await books.object.admit(books.question({ deviceId: "T-9" }));
    expect(elsewhere).toEqual({ kind: "no-such-device" });
    expect((await books.object.admit(books.question({ deviceId: "T-2" }))).kind).toBe("admitted");
  });

  it("a wrong signature or none, and says whether the device is bound", async ({ expect }) => {
    const books = await openBooks();
    const { object } = books;
    expect(await object.admit(books.question({}, "another key"))).toEqual({ kind: "wrong-signature", bound: true });
    const unsigned = books.question({ signature: null, deviceId: "T-9" });
    expect(await object.admit(unsigned)).toEqual({ kind: "wrong-signature", bound: false });
    await object.deviceChanged({ terminalId: "T-1", bindingVersion: 2, bound: false });
    expect(await object.admit(books.question({ signature: null }))).toEqual({ kind: "wrong-signature", bound: false });
  });

  it("a message with a wrong signature without claiming its reference", async ({ expect }) => {
    const books = await openBooks();
    await books.object.admit(books.question({}, "another key"));
    expect((await books.object.admit(books.question({ deviceId: "T-2" }))).kind).toBe("admitted");
  });

  it("the posId of another account", async ({ expect }) => {
    const books = await openBooks();
    expect(await books.object.admit(books.question({ posId: "POS-9" }))).toEqual({ kind: "other-account" });
  });

  it("a session that was never opened, or has ended", async ({ expect }) => {
    const books = await openBooks();
    const unknown = books.question({ sessionId: crypto.randomUUID() });
    expect(await books.object.admit(unknown)).toEqual({ kind: "session-ended" });
    await books.object.endSession(books.sessionId);
    expect(await books.object.admit(books.question())).toEqual({ kind: "session-ended" });
  });

  it("everything, starting with the turn that suspends or deletes the account", async ({ expect }) => {
    const books = await openBooks();
    await books.object.change({ status: "suspended" }, "tester");
    expect(await books.object.admit(books.question())).toEqual({ kind: "not-active", status: "suspended" });
    await books.object.remove("tester");
    expect(await books.object.admit(books.question())).toEqual({ kind: "not-active", status: "deleted" });
  });

  it("every caller of an object without an account", async ({ expect }) => {
    const books = await openBooks();
    const nobody = accountStub(env, uniqueId("pos"));
    expect(await nobody.admit(books.question())).toEqual({ kind: "unknown" });
    expect(await nobody.standing(books.sessionId)).toEqual({ kind: "unknown" });
    expect(await nobody.openSession(PASSWORD, KID)).toEqual({ kind: "unknown" });
  });
});

describe("a reference", () => {
  it("belongs to the device that it was first admitted for, and the refusal for another device names it", async ({
    expect,
  }) => {
    const books = await openBooks();
    await books.object.admit(books.question());
    const next = await books.object.admit(books.question({ deviceId: "T-2" }));
    expect(next).toEqual({ kind: "elsewhere", holder: "T-1", open: false });
    const look = await books.object.admit(books.question({ deviceId: "T-2", ...INQUIRY }));
    expect(look).toEqual({ kind: "elsewhere", holder: "T-1", open: false });
  });

  it("does not name its device in the refusal for a device that the account has lost", async ({ expect }) => {
    const books = await openBooks();
    await books.object.admit(books.question());
    await books.object.deviceChanged({ terminalId: "T-2", bindingVersion: 2, bound: false });
    const lost = await books.object.admit(books.question({ deviceId: "T-2" }));
    expect(lost).toEqual({ kind: "elsewhere", holder: null, open: false });
  });

  it("is not claimed by an inquiry that only reads", async ({ expect }) => {
    const books = await openBooks();
    await books.object.admit(books.question(INQUIRY));
    expect((await books.object.admit(books.question({ deviceId: "T-2" }))).kind).toBe("admitted");
  });

  it("stays claimed for 400 days after its last admission, and is free afterwards", async ({ expect }) => {
    const books = await openBooks();
    const { object } = books;
    const { sessionId } = books;
    await object.admit(books.question());
    skip(399 * DAY);
    const opened = await object.openSession(PASSWORD, KID);
    const session = opened.kind === "opened" ? opened.sessionId : sessionId;
    const other = books.question({ deviceId: "T-2", sessionId: session });
    expect((await object.admit(other)).kind).toBe("elsewhere");
    await object.admit(books.question({ sessionId: session }));
    skip(399 * DAY);
    const again = await object.openSession(PASSWORD, KID);
    const latest = again.kind === "opened" ? again.sessionId : sessionId;
    expect((await object.admit({ ...other, sessionId: latest })).kind).toBe("elsewhere");
    skip(2 * DAY);
    const last = await object.openSession(PASSWORD, KID);
    const newest = last.kind === "opened" ? last.sessionId : sessionId;
    expect((await object.admit({ ...other, sessionId: newest })).kind).toBe("admitted");
  });

  it("is not kept longer by an inquiry that only reads", async ({ expect }) => {
    const books = await openBooks();
    const { object } = books;
    const session = async (): Promise<string> => {
      const opened = await object.openSession(PASSWORD, KID);
      return opened.kind === "opened" ? opened.sessionId : "";
    };
    await object.admit(books.question());
    skip(399 * DAY);
    await object.admit(books.question({ ...INQUIRY, sessionId: await session() }));
    skip(2 * DAY);
    const other = await object.admit(books.question({ deviceId: "T-2", sessionId: await session() }));
    expect(other.kind).toBe("admitted");
  });

  it("stays claimed while its transaction is open, regardless of age", async ({ expect }) => {
    const books = await openBooks();
    await books.object.admit(books.question());
    const open = {
      completedAt: null,
      transaction: { referenceId: "R-1", statusCode: "22", completedBy: null },
    } as const;
    await books.object.record([books.entry(open)]);
    skip(2_000 * DAY);
    const opened = await books.object.openSession(PASSWORD, KID);
    const sessionId = opened.kind === "opened" ? opened.sessionId : "";
    const elsewhere = await books.object.admit(books.question({ deviceId: "T-2", sessionId }));
    expect(elsewhere).toEqual({ kind: "elsewhere", holder: "T-1", open: true });
    const own = await books.object.admit(books.question({ sessionId }));
    expect(own).toMatchObject({ kind: "admitted", recorded: true });
  });
});

describe("references that are only asked about", () => {
  it("are limited per account and day; transactions and known references are not", async ({ expect }) => {
    const books = await openBooks();
    const asked = (referenceId: string) =>
      accountStub(env, books.posId).admit(books.question({ referenceId, kind: "cancel" }));
    await asked("asked-0");
    await runInDurableObject(env.ACCOUNT.getByName(books.posId), (_object, { storage }) => {
      storage.sql.exec("UPDATE account SET asked_count = ?", UNKNOWN_REFERENCES_A_DAY - 1);
    });
    await abortAllDurableObjects();
    expect((await asked("the-last")).kind).toBe("admitted");
    expect(await asked("one-more")).toMatchObject({ kind: "too-many-unknown" });
    expect((await asked("asked-0")).kind).toBe("admitted");
    const object = accountStub(env, books.posId);
    expect((await object.admit(books.question({ referenceId: "a-sale" }))).kind).toBe("admitted");
    skip(12 * HOUR);
    expect(await asked("one-more")).toMatchObject({ kind: "too-many-unknown" });
    skip(12 * HOUR);
    const opened = await object.openSession(PASSWORD, KID);
    const sessionId = opened.kind === "opened" ? opened.sessionId : "";
    const nextDay = await object.admit(books.question({ referenceId: "one-more", kind: "cancel", sessionId }));
    expect(nextDay.kind).toBe("admitted");
  });
});
