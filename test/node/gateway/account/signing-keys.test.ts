/** Which of an account's signing keys verifies a message, and how they are replaced and sealed again. */
import { describe, it } from "vitest";
import { resealKeys, rotateKeys, type SigningKeys, verifyingKey } from "../../../../src/gateway/account/sessions.ts";
import { PREVIOUS_SIGNING_KEYS } from "../../../../src/protocol/limits.ts";
import { judgePassword, sealPassword } from "../../../../src/gateway/secrets/passwords.ts";
import { seal, sealedUnder, unseal } from "../../../../src/gateway/secrets/sealing.ts";
import { signedForm } from "../../../../src/protocol/signing/canonical.ts";
import { sign } from "../../../../src/protocol/signing/signature.ts";
import { MASTER_KEYS, RENEWED_KEYS } from "./parts.ts";

const NOW = Date.parse("2031-05-10T12:00:00+08:00");
const DAY = 86_400_000;
const MESSAGE = { posId: "pos-1", salt: "1" };
const FORM = signedForm(MESSAGE);

const sealedCurrent = seal(MASTER_KEYS, "current", "account-signing-key", "pos-1");
const sealedPrevious = seal(MASTER_KEYS, "previous", "account-previous-signing-key", "pos-1");

type Keys = SigningKeys & { posId: string; sealedPassword: string };

const ONE_KEY: Keys = {
  posId: "pos-1",
  sealedPassword: sealPassword(MASTER_KEYS, "password", "pos-1"),
  signingKey: sealedCurrent,
  previousSigningKeys: [],
};
const TWO_KEYS: Keys = { ...ONE_KEY, previousSigningKeys: [{ sealed: sealedPrevious, until: NOW + DAY }] };

const WRONG = { ok: false, error: "wrong" };
const UNREADABLE = { ok: false, error: "unreadable" };

function verified(keys: Keys, key: string, now = NOW) {
  return verifyingKey(MASTER_KEYS, keys, { signedForm: FORM, signature: sign(MESSAGE, key) }, now);
}

describe("a message", () => {
  it("is verified by the key that signed it, which signs the answer", ({ expect }) => {
    const current = { ok: true, value: "current" };
    expect(verified(ONE_KEY, "current")).toEqual(current);
    expect(verified(TWO_KEYS, "current")).toEqual(current);
    const previous = { ok: true, value: "previous" };
    expect(verified(TWO_KEYS, "previous")).toEqual(previous);
    expect(verified(TWO_KEYS, "another")).toEqual(WRONG);
  });

  it("is verified by the previous key as long as that is valid", ({ expect }) => {
    expect(verified(TWO_KEYS, "previous", NOW + DAY - 1).ok).toBe(true);
    expect(verified(TWO_KEYS, "previous", NOW + DAY)).toEqual(WRONG);
    expect(verified(ONE_KEY, "previous")).toEqual(WRONG);
  });

  it("is refused without a signature", ({ expect }) => {
    expect(verifyingKey(MASTER_KEYS, TWO_KEYS, { signedForm: FORM, signature: null }, NOW)).toEqual(WRONG);
  });

  it("cannot be judged if no master key opens the current key", ({ expect }) => {
    const lost = { ...TWO_KEYS, signingKey: "v2.gone.AAAA" };
    expect(verified(lost, "previous")).toEqual(UNREADABLE);
    expect(verifyingKey(MASTER_KEYS, lost, { signedForm: FORM, signature: null }, NOW)).toEqual(UNREADABLE);
  });

  it("is refused if its previous key cannot be opened", ({ expect }) => {
    const lost = { ...TWO_KEYS, previousSigningKeys: [{ sealed: "v2.gone.AAAA", until: NOW + DAY }] };
    expect(["previous", ""].map((key) => verified(lost, key))).toEqual([WRONG, WRONG]);
  });

  it("is not verified by a key that was sealed for another account", ({ expect }) => {
    expect(verified({ ...TWO_KEYS, posId: "pos-2" }, "current")).toEqual(UNREADABLE);
  });
});

describe("a new signing key", () => {
  const sealedNew = seal(MASTER_KEYS, "new", "account-signing-key", "pos-1");

  function rotate(keys: Keys, now = NOW): Keys {
    const next = rotateKeys(MASTER_KEYS, keys, { sealedSigningKey: sealedNew, revokePrevious: false }, now);
    if (!next.ok) throw new Error(`not rotated until ${next.error.until}`);
    return { ...keys, ...next.value };
  }

  it("leaves each one before valid for a day from its own rotation", ({ expect }) => {
    const later = NOW + DAY - 1;
    const keys = rotate(rotate(ONE_KEY), later);
    const valid = (now: number) => ["current", "new"].map((key) => verified(keys, key, now).ok);
    expect(keys).toMatchObject({
      signingKey: sealedNew,
      previousSigningKeys: [{ until: later + DAY }, { until: NOW + DAY }],
    });
    expect([valid(later), valid(NOW + DAY)]).toEqual([
      [true, true],
      [false, true],
    ]);
    // Those that have ended are not kept.
    expect(rotate(keys, later + DAY).previousSigningKeys).toHaveLength(1);
  });

  it("is refused while too many previous keys are valid", ({ expect }) => {
    let keys = ONE_KEY;
    for (let key = 0; key < PREVIOUS_SIGNING_KEYS; key++) keys = rotate(keys, NOW + key);
    const rotation = (revoke: boolean, now: number) =>
      rotateKeys(MASTER_KEYS, keys, { sealedSigningKey: sealedNew, revokePrevious: revoke }, now);
    expect(rotation(false, NOW + DAY - 1)).toEqual({ ok: false, error: { until: NOW + DAY } });
    expect([rotation(false, NOW + DAY).ok, rotation(true, NOW).ok]).toEqual([true, true]);
  });

  it("ends previous keys at once if revoked, even unreadable ones", ({ expect }) => {
    const lost = { ...TWO_KEYS, signingKey: "v2.gone.AAAA" };
    const only = { signingKey: sealedNew, previousSigningKeys: [] };
    expect(rotateKeys(MASTER_KEYS, lost, { sealedSigningKey: sealedNew, revokePrevious: true }, NOW)).toEqual({
      ok: true,
      value: only,
    });
    expect(() => rotateKeys(MASTER_KEYS, lost, { sealedSigningKey: sealedNew, revokePrevious: false }, NOW)).toThrow(
      "cannot be unsealed",
    );
  });
});

describe("the secrets of an account", () => {
  it("are sealed again with the current master key while valid", ({ expect }) => {
    const again = resealKeys(RENEWED_KEYS, TWO_KEYS, NOW);
    if (again === null) throw new Error("not sealed");
    const { sealedPassword, signingKey, previousSigningKeys } = again;
    expect(sealedUnder(sealedPassword)).toBe("test-2");
    expect(judgePassword(RENEWED_KEYS, "password", { posId: "pos-1", sealedPassword })).toBe("right");
    const [previous] = previousSigningKeys;
    expect([signingKey, previous?.sealed ?? ""].map(sealedUnder)).toEqual(["test-2", "test-2"]);
    expect(unseal(RENEWED_KEYS, signingKey, "account-signing-key", "pos-1")).toEqual({ ok: true, value: "current" });
    const before = unseal(RENEWED_KEYS, previous?.sealed ?? "", "account-previous-signing-key", "pos-1");
    expect(before).toEqual({ ok: true, value: "previous" });
    expect(previous?.until).toBe(NOW + DAY);
    expect(resealKeys(RENEWED_KEYS, TWO_KEYS, NOW + DAY)).toMatchObject({ previousSigningKeys: [] });
  });

  it("stay as they are if one of them cannot be opened", ({ expect }) => {
    const lost = { sealed: "v2.gone.AAAA", until: NOW + DAY };
    expect(resealKeys(RENEWED_KEYS, { ...TWO_KEYS, signingKey: lost.sealed }, NOW)).toBeNull();
    expect(resealKeys(RENEWED_KEYS, { ...TWO_KEYS, sealedPassword: lost.sealed }, NOW)).toBeNull();
    expect(resealKeys(RENEWED_KEYS, { ...TWO_KEYS, previousSigningKeys: [lost] }, NOW)).toBeNull();
  });
});
