import { describe, it } from "vitest";
import { drawSecret, hashSecret, isSecretHash, verifySecret } from "../../src/keys/passwords.ts";

describe("a secret that the gateway generates", () => {
  it("is 160 random bits, and different each time", ({ expect }) => {
    const drawn = Array.from({ length: 100 }, drawSecret);
    expect(new Set(drawn).size).toBe(100);
    expect(drawn.every((secret) => Buffer.from(secret, "base64url").length === 20)).toBe(true);
  });

  it("is verified against its hash, which does not show it", ({ expect }) => {
    const secret = drawSecret();
    const hash = hashSecret(secret);
    expect(hash).not.toContain(secret);
    expect(hash).not.toBe(hashSecret(secret));
    expect(isSecretHash(hash)).toBe(true);
    expect(verifySecret(secret, hash)).toBe(true);
    expect(verifySecret(drawSecret(), hash)).toBe(false);
    expect(verifySecret(secret, hash.slice(0, -1))).toBe(false);
  });

  it("is never the hash of a password", ({ expect }) => {
    const ofPassword = "$scrypt$ln=15,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$WSwQpw6BR7y/Djurv1Dn9p/qS4iAMRiZdsQvek1P5F0";
    expect(isSecretHash(ofPassword)).toBe(false);
    expect(verifySecret("anything", ofPassword)).toBe(false);
  });
});
