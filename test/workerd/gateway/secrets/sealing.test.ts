import { describe, expect, it } from "vitest";
import { randomKey, seal, sealedUnder, unseal } from "../../../../src/gateway/secrets/sealing.ts";
import { keysFrom } from "../../../support/master-keys.ts";

const OLD = `old.1:${Buffer.alloc(32, 1).toString("base64")}`;
const NEW = `new-2:${Buffer.alloc(32, 2).toString("base64")}`;

const keys = keysFrom(`${NEW},${OLD}`);
const KIND = "terminal-secret";

describe("a sealed secret", () => {
  it.each(["", "3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc", "naïve 😂"])(
    "opens again for its owner: %j",
    (secret) => {
      expect(unseal(keys, seal(keys, secret, KIND, "POS-0001"), KIND, "POS-0001")).toEqual({ ok: true, value: secret });
    },
  );

  it("does not show the secret, and is different each time", () => {
    const sealed = seal(keys, "the secret", KIND, "POS-0001");
    expect(sealed).toMatch(/^v2\.new-2\.[A-Za-z0-9_-]+$/);
    expect(sealed).not.toBe(seal(keys, "the secret", KIND, "POS-0001"));
    expect(Buffer.from(sealed.split(".")[2] ?? "", "base64url").toString("latin1")).not.toContain("secret");
  });

  it("does not open as another kind of secret of the same owner", () => {
    const kinds = ["account-signing-key", "account-previous-signing-key", "terminal-secret"] as const;
    for (const kind of kinds) {
      const sealed = seal(keys, "secret", kind, "SAME-1");
      const opened = kinds.filter((other) => unseal(keys, sealed, other, "SAME-1").ok);
      expect(opened).toEqual([kind]);
    }
  });

  it("does not open for another owner", () => {
    expect(unseal(keys, seal(keys, "secret", KIND, "T-0001"), KIND, "T-0002")).toEqual({ ok: false, error: "damaged" });
    expect(unseal(keys, seal(keys, "secret", KIND, "T-0001"), KIND, "")).toEqual({ ok: false, error: "damaged" });
  });

  it("opens under newer master keys until its own is removed", () => {
    const sealed = seal(keysFrom(OLD), "secret", KIND, "T-0001");
    expect(sealedUnder(sealed)).toBe("old.1");
    expect(unseal(keys, sealed, KIND, "T-0001")).toEqual({ ok: true, value: "secret" });
    expect(sealedUnder(seal(keys, "secret", KIND, "T-0001"))).toBe("new-2");
    expect(unseal(keysFrom(NEW), sealed, KIND, "T-0001")).toEqual({ ok: false, error: "unknown-key" });
  });

  it("does not open under another key of the same kid", () => {
    const other = keysFrom(`new-2:${Buffer.alloc(32, 3).toString("base64")}`);
    expect(unseal(other, seal(keys, "secret", KIND, "T-0001"), KIND, "T-0001")).toEqual({
      ok: false,
      error: "damaged",
    });
  });

  it("is damaged by any change of any byte", () => {
    const sealed = seal(keys, "secret", KIND, "T-0001");
    const [version, kid, encoded = ""] = sealed.split(".");
    const bytes = Buffer.from(encoded, "base64url");
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      const text = `${version}.${kid}.${changed.toString("base64url")}`;
      expect(unseal(keys, text, KIND, "T-0001")).toEqual({ ok: false, error: "damaged" });
    }
    for (let length = 0; length < bytes.length; length++) {
      const text = `${version}.${kid}.${bytes.subarray(0, length).toString("base64url")}`;
      expect(unseal(keys, text, KIND, "T-0001")).toEqual({ ok: false, error: "damaged" });
    }
  });

  it.each(["", "v2", "v2.new-2", "v2.new-2.", "v1.new-2.AAAA", "new-2.AAAA", "v2.new-2.A+/=", "v2.new-2.AAAA\n"])(
    "is not %j",
    (text) => {
      expect(unseal(keys, text, KIND, "T-0001")).toEqual({ ok: false, error: "damaged" });
      expect(sealedUnder(text)).toBeNull();
    },
  );

  it("is AES-256-GCM bound to its form, kind and owner", async () => {
    const bytes = Buffer.from(seal(keys, "secret", KIND, "T-0001").split(".")[2] ?? "", "base64url");
    const encoder = new TextEncoder();
    const master = await crypto.subtle.importKey("raw", new Uint8Array(32).fill(2), "HKDF", false, ["deriveKey"]);
    const key = await crypto.subtle.deriveKey(
      { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: encoder.encode("sealing") },
      master,
      { name: "AES-GCM", length: 256 },
      false,
      ["decrypt"],
    );
    const additionalData = encoder.encode("v2\nterminal-secret\nT-0001");
    const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, 12), additionalData, tagLength: 128 };
    const plaintext = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(12));
    expect(new TextDecoder().decode(plaintext)).toBe("secret");
  });
});

describe("a random key", () => {
  it("has 32 bytes in 43 characters, others each time", () => {
    const made = new Set(Array.from({ length: 100 }, randomKey));
    expect(made.size).toBe(100);
    for (const key of made) {
      expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(key, "base64url")).toHaveLength(32);
    }
  });
});
