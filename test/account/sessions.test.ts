/** Sessions of an account: opened, refreshed, ended including interleaved changes of the password. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { accountStub } from "../../src/rpc/account.ts";
import { REFRESH_REPEAT } from "../../src/protocol/limits/keys.ts";
import { signedForm } from "../../src/signing/canonical.ts";
import { sign } from "../../src/signing/signature.ts";
import { DAY } from "../../src/time/units.ts";
import { skip, useFakeClock } from "../support/clock.ts";
import { type Books, KID, openBooks, PASSWORD, sealedPassword } from "./books.ts";

useFakeClock();

async function open(books: Books) {
  const opened = await books.object.openSession(PASSWORD, KID);
  if (opened.kind !== "opened") throw new Error(opened.kind);
  return opened;
}

describe("a session", () => {
  it("stays valid until it ends, even after its object has restarted", async ({ expect }) => {
    const books = await openBooks();
    await abortAllDurableObjects();
    const object = accountStub(env, books.posId);
    expect(await object.standing(books.sessionId)).toMatchObject({ kind: "good", account: { posId: books.posId } });
    expect((await object.endSession(books.sessionId)).kind).toBe("good");
    expect(await object.standing(books.sessionId)).toEqual({ kind: "session-ended" });
    expect(await object.endSession(books.sessionId)).toEqual({ kind: "session-ended" });
  });

  it("gets a new pair for its refresh token, and the same pair again while the answer may have been lost", async ({
    expect,
  }) => {
    const books = await openBooks();
    const { sessionId, pair } = await open(books);
    const first = await books.object.refresh(sessionId, pair.refreshId, KID);
    skip(REFRESH_REPEAT);
    expect(await books.object.refresh(sessionId, pair.refreshId, KID)).toEqual(first);
    expect(first).toMatchObject({ kind: "refreshed" });
  });

  it("ends when a refresh token comes back that was exchanged long ago", async ({ expect }) => {
    const books = await openBooks();
    const { sessionId, pair } = await open(books);
    await books.object.refresh(sessionId, pair.refreshId, KID);
    skip(REFRESH_REPEAT + 1);
    expect(await books.object.refresh(sessionId, pair.refreshId, KID)).toEqual({ kind: "used" });
    expect(await books.object.standing(sessionId)).toEqual({ kind: "session-ended" });
  });

  it("ends when a refresh token comes back after its successor was exchanged as well", async ({ expect }) => {
    const books = await openBooks();
    const { sessionId, pair } = await open(books);
    const second = await books.object.refresh(sessionId, pair.refreshId, KID);
    if (second.kind !== "refreshed") throw new Error(second.kind);
    await books.object.refresh(sessionId, second.pair.refreshId, KID);
    expect(await books.object.refresh(sessionId, pair.refreshId, KID)).toEqual({ kind: "used" });
  });

  it("opens only with the current password", async ({ expect }) => {
    const books = await openBooks();
    await books.object.change({ sealedPassword: sealedPassword(books.posId, "another one") }, "tester");
    expect(await books.object.openSession(PASSWORD, KID)).toEqual({ kind: "wrong" });
    expect((await books.object.openSession("another one", KID)).kind).toBe("opened");
  });

  it("stays closed if no master key decrypts the password", async ({ expect }) => {
    const books = await openBooks();
    // Sealed for another account, so it cannot be put in this one's place.
    for (const sealed of [sealedPassword("another-pos", PASSWORD), "v2.gone.AAAA", ""]) {
      await books.object.change({ sealedPassword: sealed }, "tester");
      expect(await books.object.openSession(PASSWORD, KID)).toEqual({ kind: "unreadable" });
    }
  });

  it("does not outlive a new password, and neither does a refresh whose answer was lost", async ({ expect }) => {
    const books = await openBooks();
    const { sessionId, pair } = await open(books);
    await books.object.refresh(sessionId, pair.refreshId, KID);
    await books.object.change({ sealedPassword: sealedPassword(books.posId, "another one") }, "tester");
    expect(await books.object.refresh(sessionId, pair.refreshId, KID)).toEqual({ kind: "session-ended" });
    expect(await books.object.standing(books.sessionId)).toEqual({ kind: "session-ended" });
  });

  it("outlives a change that is no new password and no suspension", async ({ expect }) => {
    const books = await openBooks();
    await books.object.change({ timezone: "UTC", name: "Till" }, "tester");
    expect((await books.object.standing(books.sessionId)).kind).toBe("good");
  });

  it("ends with a suspension, and does not come back when the suspension ends", async ({ expect }) => {
    const books = await openBooks();
    await books.object.change({ status: "suspended" }, "tester");
    const refused = { kind: "not-active", status: "suspended" };
    expect(await books.object.standing(books.sessionId)).toEqual(refused);
    expect(await books.object.openSession(PASSWORD, KID)).toEqual(refused);
    await books.object.change({ status: "active" }, "tester");
    expect(await books.object.standing(books.sessionId)).toEqual({ kind: "session-ended" });
  });

  it("that is over is forgotten with the next login", async ({ expect }) => {
    const books = await openBooks();
    skip(2 * DAY);
    await open(books);
    expect(await books.object.standing(books.sessionId)).toEqual({ kind: "session-ended" });
  });
});

function signedLogin(books: Books, key = books.signingKey) {
  const message = { posId: books.posId, datetime: "2026-11-22T06:00:00", nonce: crypto.randomUUID() };
  return { signedForm: signedForm(message), signature: sign(message, key), until: Date.now() + 900_000 };
}

describe("a signed login", () => {
  it("opens a session once, even after a reset or with its signature in upper case", async ({ expect }) => {
    const books = await openBooks();
    const login = signedLogin(books);
    expect((await books.object.openSignedSession(login, KID)).kind).toBe("opened");
    await abortAllDurableObjects();
    const object = accountStub(env, books.posId);
    expect(await object.openSignedSession(login, KID)).toEqual({ kind: "used" });
    const louder = { ...login, signature: login.signature.toUpperCase() };
    expect(await object.openSignedSession(louder, KID)).toEqual({ kind: "used" });
    expect((await object.openSignedSession(signedLogin(books), KID)).kind).toBe("opened");
  });

  it("is refused with another key, and reveals a suspension only to a caller who has the right key", async ({
    expect,
  }) => {
    const books = await openBooks();
    await books.object.change({ status: "suspended" }, "tester");
    const wrong = await books.object.openSignedSession(signedLogin(books, "another key"), KID);
    expect(wrong).toEqual({ kind: "wrong" });
    const right = await books.object.openSignedSession(signedLogin(books), KID);
    expect(right).toEqual({ kind: "not-active", status: "suspended" });
  });

  it("is forgotten when its datetime is no longer acceptable", async ({ expect }) => {
    const books = await openBooks();
    await books.object.openSignedSession(signedLogin(books), KID);
    skip(DAY);
    await books.object.openSignedSession(signedLogin(books), KID);
    const kept = await runInDurableObject(
      env.ACCOUNT.getByName(books.posId),
      (_object, { storage }) => storage.sql.exec("SELECT signature FROM used_logins").toArray().length,
    );
    expect(kept).toBe(1);
  });
});
