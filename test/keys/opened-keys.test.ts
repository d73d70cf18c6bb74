import { describe, expect, it } from "vitest";
import { type MasterKeys, readMasterKeys } from "../../src/keys/master-keys.ts";
import { unsealOften } from "../../src/keys/opened-keys.ts";
import { randomKey, seal } from "../../src/keys/sealing.ts";
import { OPENED_KEYS } from "../../src/limits.ts";

const FIRST = `first:${Buffer.alloc(32, 1).toString("base64")}`;
const SECOND = `second:${Buffer.alloc(32, 2).toString("base64")}`;

function read(text: string): MasterKeys {
  const result = readMasterKeys(text);
  if (!result.ok) throw new Error(result.problem);
  return result.keys;
}

describe("a key that was opened", () => {
  it("is the one that was sealed, at the first time and at the second", () => {
    const keys = read(FIRST);
    const [one, other] = [randomKey(), randomKey()];
    const [sealedOne, sealedOther] = [seal(keys, one, "POS-1"), seal(keys, other, "POS-1")];
    for (let time = 0; time < 2; time++) {
      expect(unsealOften(keys, sealedOne, "POS-1")).toEqual({ ok: true, plaintext: one });
      expect(unsealOften(keys, sealedOther, "POS-1")).toEqual({ ok: true, plaintext: other });
    }
  });

  it("opens for its owner alone, and not when it was altered", () => {
    const keys = read(FIRST);
    const sealed = seal(keys, randomKey(), "POS-1");
    expect(unsealOften(keys, sealed, "POS-1").ok).toBe(true);
    expect(unsealOften(keys, sealed, "POS-2")).toEqual({ ok: false, reason: "damaged" });
    expect(unsealOften(keys, `${sealed} POS-1`, "POS-1")).toEqual({ ok: false, reason: "damaged" });
    expect(unsealOften(keys, `${sealed.slice(0, -4)}AAAA`, "POS-1")).toEqual({ ok: false, reason: "damaged" });
  });

  it("opens no more when its master key is dropped", () => {
    const sealed = seal(read(FIRST), randomKey(), "POS-1");
    expect(unsealOften(read(FIRST), sealed, "POS-1").ok).toBe(true);
    expect(unsealOften(read(SECOND), sealed, "POS-1")).toEqual({ ok: false, reason: "unknown-key" });
  });

  it("is opened again when too many others were opened since", () => {
    const keys = read(FIRST);
    const key = randomKey();
    const sealed = seal(keys, key, "POS-1");
    expect(unsealOften(keys, sealed, "POS-1")).toEqual({ ok: true, plaintext: key });
    for (let other = 0; other <= OPENED_KEYS; other++) unsealOften(keys, seal(keys, randomKey(), "POS-2"), "POS-2");
    expect(unsealOften(keys, sealed, "POS-1")).toEqual({ ok: true, plaintext: key });
  });
});
