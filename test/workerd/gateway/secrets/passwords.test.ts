import { describe, it } from "vitest";
import { drawPassword, hasDrawnForm, judgePassword, sealPassword } from "../../../../src/gateway/secrets/passwords.ts";
import { sealedUnder } from "../../../../src/gateway/secrets/sealing.ts";
import { keysFrom } from "../../../support/master-keys.ts";

const KEYS = keysFrom(`test-1:${btoa("the master key of these tests ..")}`);
const posId = "pos-1";
const PASSWORD = "correct horse battery";

function judge(password: string, sealedPassword: string, keys = KEYS) {
  return judgePassword(keys, password, { posId, sealedPassword });
}

describe("a drawn password", () => {
  it("is 160 random bits as text, different each time", ({ expect }) => {
    const drawn = Array.from({ length: 100 }, drawPassword);
    expect(drawn.every((password) => Buffer.from(password, "base64url").length === 20)).toBe(true);
    expect(drawn.every(hasDrawnForm)).toBe(true);
    expect(new Set(drawn).size).toBe(100);
    expect([PASSWORD, `${drawn[0]}x`, drawn[0]?.slice(1) ?? ""].some(hasDrawnForm)).toBe(false);
  });
});

describe("a stored password", () => {
  it("verifies the password and no other, and does not show it", ({ expect }) => {
    const sealed = sealPassword(KEYS, PASSWORD, posId);
    expect(judge(PASSWORD, sealed)).toBe("right");
    for (const wrong of ["correct horse batterY", `${PASSWORD} `, ""]) expect(judge(wrong, sealed)).toBe("wrong");
    expect(sealed).not.toContain(PASSWORD);
    expect(sealedUnder(sealed)).toBe("test-1");
  });

  it("looks different each time", ({ expect }) => {
    expect(sealPassword(KEYS, PASSWORD, posId)).not.toBe(sealPassword(KEYS, PASSWORD, posId));
  });

  it("is the same however the keyboard composes its letters", ({ expect }) => {
    expect(judge("cafe\u0301 au lait, twice", sealPassword(KEYS, "caf\u00e9 au lait, twice", posId))).toBe("right");
  });

  it("cannot be read without its master key, damaged, or in another account", ({ expect }) => {
    const sealed = sealPassword(KEYS, PASSWORD, posId);
    const others = keysFrom(`test-2:${btoa("another master key of the tests.")}`);
    expect(judge(PASSWORD, sealed, others)).toBe("unreadable");
    for (const damaged of ["", sealed.slice(0, -1), sealPassword(KEYS, PASSWORD, "pos-2")]) {
      expect(judge(PASSWORD, damaged)).toBe("unreadable");
    }
  });
});

describe("a password without an account", () => {
  it("never matches, whatever is sent", ({ expect }) => {
    for (const password of [PASSWORD, "", drawPassword()]) expect(judgePassword(KEYS, password, null)).toBe("wrong");
  });
});
