import { describe, expect, it } from "vitest";
import { hashPassword, verifyPassword } from "../../src/keys/passwords.ts";

/** Of “café au lait, twice”, the é as one character, made by another implementation. */
const CAFE = "$scrypt$ln=15,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$WSwQpw6BR7y/Djurv1Dn9p/qS4iAMRiZdsQvek1P5F0";

const atOnce = async (): Promise<void> => {};

// Each of these hashes takes half a second: few cases, chosen. That unknown accounts take as long as known ones
// follows from the code, which hashes either way; a test with a clock would only be flaky.
describe("a password", () => {
  it("is verified against its hash, which does not show it", async () => {
    const hash = await hashPassword("correct horse battery", atOnce);
    expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await verifyPassword("correct horse battery", hash, atOnce)).toBe(true);
    expect(await verifyPassword("correct horse batterY", hash, atOnce)).toBe(false);
  });

  it("has a different hash each time", async () => {
    expect(await hashPassword("correct horse battery", atOnce)).not.toBe(
      await hashPassword("correct horse battery", atOnce),
    );
  });

  it("is the same however the keyboard composes its letters, and hashes as elsewhere", async () => {
    expect(await verifyPassword("cafe\u0301 au lait, twice", CAFE, atOnce)).toBe(true);
  });

  it("is never right if there is no account", async () => {
    expect(await verifyPassword("correct horse battery", null, atOnce)).toBe(false);
  });

  it("is never right if the hash is damaged or cut short", async () => {
    expect(await verifyPassword("café au lait, twice", CAFE.slice(0, -1), atOnce)).toBe(false);
    expect(await verifyPassword("café au lait, twice", "", atOnce)).toBe(false);
  });
});
