/** Which of an account's signing keys verifies a message, and how they are replaced and sealed again. */
import { describe, it } from "vitest";
import { resealed, rotated, verifyingKey } from "../../src/account/signing-keys.ts";
import { seal, sealedUnder, unseal } from "../../src/keys/sealing.ts";
import { signedForm } from "../../src/signing/canonical.ts";
import { sign } from "../../src/signing/signature.ts";
import { MASTER_KEYS, RENEWED_KEYS } from "./parts.ts";

const NOW = Date.parse("2031-05-10T12:00:00+08:00");
const DAY = 86_400_000;
const MESSAGE = { posId: "pos-1", salt: "1" };
const FORM = signedForm(MESSAGE);

const sealedCurrent = seal(MASTER_KEYS, "current", "account-signing-key", "pos-1");
const sealedPrevious = seal(MASTER_KEYS, "previous", "account-previous-signing-key", "pos-1");

const ONE_KEY = { posId: "pos-1", signingKey: sealedCurrent, previousSigningKey: null, previousSigningKeyUntil: null };
const TWO_KEYS = { ...ONE_KEY, previousSigningKey: sealedPrevious, previousSigningKeyUntil: NOW + DAY };

const WRONG = { ok: false, error: "wrong" };
const UNREADABLE = { ok: false, error: "unreadable" };

function verified(keys: typeof ONE_KEY | typeof TWO_KEYS, key: string, now = NOW) {
  return verifyingKey(MASTER_KEYS, keys, FORM, sign(MESSAGE, key), now);
}

describe("a message", () => {
  it("is verified by the key that signed it, which then signs the answer", ({ expect }) => {
    const current = { ok: true, value: { sealed: sealedCurrent, kind: "account-signing-key" } };
    expect(verified(ONE_KEY, "current")).toEqual(current);
    expect(verified(TWO_KEYS, "current")).toEqual(current);
    const previous = { ok: true, value: { sealed: sealedPrevious, kind: "account-previous-signing-key" } };
    expect(verified(TWO_KEYS, "previous")).toEqual(previous);
    expect(verified(TWO_KEYS, "another")).toEqual(WRONG);
  });

  it("is verified by the previous key as long as that is valid", ({ expect }) => {
    expect(verified(TWO_KEYS, "previous", NOW + DAY - 1).ok).toBe(true);
    expect(verified(TWO_KEYS, "previous", NOW + DAY)).toEqual(WRONG);
    expect(verified(ONE_KEY, "previous")).toEqual(WRONG);
  });

  it("without a signature is refused", ({ expect }) => {
    expect(verifyingKey(MASTER_KEYS, TWO_KEYS, FORM, null, NOW)).toEqual(WRONG);
  });

  it("cannot be judged if no master key opens the current key", ({ expect }) => {
    const lost = { ...TWO_KEYS, signingKey: "v2.gone.AAAA" };
    expect(verified(lost, "previous")).toEqual(UNREADABLE);
    expect(verifyingKey(MASTER_KEYS, lost, FORM, null, NOW)).toEqual(UNREADABLE);
  });

  it("is refused if no master key opens the previous key that may have signed it", ({ expect }) => {
    const lost = { ...TWO_KEYS, previousSigningKey: "v2.gone.AAAA" };
    expect(["previous", ""].map((key) => verified(lost, key))).toEqual([WRONG, WRONG]);
  });

  it("is verified by no key that was sealed for another account", ({ expect }) => {
    expect(verified({ ...TWO_KEYS, posId: "pos-2" }, "current")).toEqual(UNREADABLE);
  });
});

describe("a new signing key", () => {
  const sealedNew = seal(MASTER_KEYS, "new", "account-signing-key", "pos-1");

  it("leaves the one before valid for a day", ({ expect }) => {
    const keys = rotated(MASTER_KEYS, ONE_KEY, sealedNew, false, NOW);
    expect(keys).toMatchObject({ signingKey: sealedNew, previousSigningKeyUntil: NOW + DAY });
    const { previousSigningKey } = keys;
    const before = unseal(MASTER_KEYS, previousSigningKey ?? "", "account-previous-signing-key", "pos-1");
    expect(before).toEqual({ ok: true, value: "current" });
  });

  it("ends the ones before at once if they are revoked, even if they cannot be opened", ({ expect }) => {
    const lost = { ...TWO_KEYS, signingKey: "v2.gone.AAAA" };
    const only = { signingKey: sealedNew, previousSigningKey: null, previousSigningKeyUntil: null };
    expect(rotated(MASTER_KEYS, lost, sealedNew, true, NOW)).toEqual(only);
    expect(() => rotated(MASTER_KEYS, lost, sealedNew, false, NOW)).toThrow("cannot be unsealed");
  });
});

describe("the keys of an account", () => {
  it("are sealed again with the current master key", ({ expect }) => {
    const again = resealed(RENEWED_KEYS, TWO_KEYS);
    if (again === null) throw new Error("not sealed");
    const { signingKey, previousSigningKey, previousSigningKeyUntil } = again;
    expect([signingKey, previousSigningKey ?? ""].map(sealedUnder)).toEqual(["test-2", "test-2"]);
    expect(unseal(RENEWED_KEYS, signingKey, "account-signing-key", "pos-1")).toEqual({ ok: true, value: "current" });
    const before = unseal(RENEWED_KEYS, previousSigningKey ?? "", "account-previous-signing-key", "pos-1");
    expect(before).toEqual({ ok: true, value: "previous" });
    expect(previousSigningKeyUntil).toBe(NOW + DAY);
    expect(resealed(RENEWED_KEYS, ONE_KEY)).toMatchObject({ previousSigningKey: null, previousSigningKeyUntil: null });
  });

  it("stay as they are if one of them cannot be opened", ({ expect }) => {
    expect(resealed(RENEWED_KEYS, { ...TWO_KEYS, signingKey: "v2.gone.AAAA" })).toBeNull();
    expect(resealed(RENEWED_KEYS, { ...TWO_KEYS, previousSigningKey: "v2.gone.AAAA" })).toBeNull();
  });
});
