import { describe, expect, it } from "vitest";
import { unsealOften, randomKey, seal, OPENED_KEYS } from "../../../../src/gateway/secrets/sealing.ts";
import { keysFrom } from "../../../support/master-keys.ts";

const FIRST = `first:${Buffer.alloc(32, 1).toString("base64")}`;
const KIND = "account-signing-key";
const SECOND = `second:${Buffer.alloc(32, 2).toString("base64")}`;

describe("a decrypted key", () => {
  it("is the one that was encrypted, the first time and the second", () => {
    const keys = keysFrom(FIRST);
    const [one, other] = [randomKey(), randomKey()];
    const [sealedOne, sealedOther] = [seal(keys, one, KIND, "POS-1"), seal(keys, other, KIND, "POS-1")];
    for (let time = 0; time < 2; time++) {
      expect(unsealOften(keys, sealedOne, KIND, "POS-1")).toEqual({ ok: true, value: one });
      expect(unsealOften(keys, sealedOther, KIND, "POS-1")).toEqual({ ok: true, value: other });
    }
  });

  it("is decrypted only for its owner, and not if it was altered", () => {
    const keys = keysFrom(FIRST);
    const sealed = seal(keys, randomKey(), KIND, "POS-1");
    expect(unsealOften(keys, sealed, KIND, "POS-1").ok).toBe(true);
    expect(unsealOften(keys, sealed, "terminal-secret", "POS-1")).toEqual({ ok: false, error: "damaged" });
    expect(unsealOften(keys, sealed, KIND, "POS-2")).toEqual({ ok: false, error: "damaged" });
    expect(unsealOften(keys, `${sealed} POS-1`, KIND, "POS-1")).toEqual({ ok: false, error: "damaged" });
    expect(unsealOften(keys, `${sealed.slice(0, -4)}AAAA`, KIND, "POS-1")).toEqual({ ok: false, error: "damaged" });
  });

  it("is no longer decrypted when its master key is dropped", () => {
    const sealed = seal(keysFrom(FIRST), randomKey(), KIND, "POS-1");
    expect(unsealOften(keysFrom(FIRST), sealed, KIND, "POS-1").ok).toBe(true);
    expect(unsealOften(keysFrom(SECOND), sealed, KIND, "POS-1")).toEqual({ ok: false, error: "unknown-key" });
  });

  it("is decrypted again after too many others", () => {
    const keys = keysFrom(FIRST);
    const key = randomKey();
    const sealed = seal(keys, key, KIND, "POS-1");
    expect(unsealOften(keys, sealed, KIND, "POS-1")).toEqual({ ok: true, value: key });
    for (let other = 0; other <= OPENED_KEYS; other++)
      unsealOften(keys, seal(keys, randomKey(), KIND, "POS-2"), KIND, "POS-2");
    expect(unsealOften(keys, sealed, KIND, "POS-1")).toEqual({ ok: true, value: key });
  });
});
