/** Nonces of signed calls and signatures of logins: each is accepted once, and kept no longer than it could be. */
import { describe, it } from "vitest";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import { UsedOnce } from "../../../../../src/gateway/account/storage/sessions.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";

const UNTIL = 1_000;

describe.for([
  [
    "a nonce",
    (sql: SqlStorage) => {
      const nonces = new UsedOnce(sql, "used_nonces", "nonce");
      return (text: string, now: number) => nonces.use(text, UNTIL, now);
    },
  ],
  [
    "a login",
    (sql: SqlStorage) => {
      const logins = new UsedOnce(sql, "used_logins", "signature");
      return (text: string, now: number) => logins.use(text, UNTIL, now);
    },
  ],
] as const)("%s", ([, start]) => {
  it("is accepted once", ({ expect }) => {
    const use = start(memoryStorage(ACCOUNT_MIGRATIONS));
    expect([use("a", 0), use("a", 0), use("b", 0), use("a", UNTIL)]).toEqual([true, false, true, false]);
  });

  it("is forgotten when its time is over", ({ expect }) => {
    const use = start(memoryStorage(ACCOUNT_MIGRATIONS));
    use("a", 0);
    expect(use("b", UNTIL + 1)).toBe(true);
    expect(use("a", 0)).toBe(true);
  });
});
