import { createHmac } from "node:crypto";
import * as fc from "fast-check";
import { CompactSign, jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import { deriveKey } from "../../../../src/gateway/secrets/master-keys.ts";
import {
  type AccountClaims,
  newPair,
  signToken,
  type TerminalClaims,
  verifyToken,
  VERIFIED_TOKENS,
} from "../../../../src/gateway/secrets/tokens.ts";
import { keysFrom } from "../../../support/master-keys.ts";
import { anyText } from "../../../support/any-text.ts";

const FIRST = `test-1:${Buffer.from("master key of the test run only!").toString("base64")}`;
const SECOND = `test-2:${Buffer.alloc(32, 2).toString("base64")}`;

const keys = keysFrom(FIRST);

const IAT = 1_795_140_900;
const EXP = IAT + 900;
const NOW = IAT * 1000;

const ACCESS: AccountClaims = { sub: "POS-0001", sid: "S-1", use: "access", jti: "J-1", iat: IAT, exp: EXP };
const TERMINAL: TerminalClaims = { sub: "T-0001", ver: 3, use: "terminal", jti: "J-2", iat: IAT, exp: EXP };

/** The token of `ACCESS` under `test-1`, made by another implementation. */
const ACCESS_TOKEN =
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6InRlc3QtMSJ9." +
  "eyJzdWIiOiJQT1MtMDAwMSIsInNpZCI6IlMtMSIsInVzZSI6ImFjY2VzcyIsImp0aSI6IkotMSIs" +
  "ImlhdCI6MTc5NTE0MDkwMCwiZXhwIjoxNzk1MTQxODAwfQ." +
  "73JdXGLTzQwlvbKGTWAIu536Smd3GU2ZpR1ddrzLlkQ";

function encode(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64url");
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

/** A token with any header and payload, its signature right for `hash`. */
function forge(header: unknown, payload: unknown, hash = "sha256"): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  const key = deriveKey(keys.current, "tokens");
  return `${signed}.${createHmac(hash, key).update(signed).digest("base64url")}`;
}

const HEADER = { alg: "HS256", typ: "JWT", kid: "test-1" };

describe("a token", () => {
  it("is an HS256 JWT, exactly as another implementation makes it", async () => {
    expect(await signToken(keys, ACCESS)).toBe(ACCESS_TOKEN);
    expect(await verifyToken(keys, ACCESS_TOKEN, "access", NOW)).toEqual({ ok: true, value: ACCESS });
  });

  it("is the same for the same claims in any order", async () => {
    const { exp, iat, jti, use, sid, sub } = ACCESS;
    expect(await signToken(keys, { exp, iat, jti, use, sid, sub })).toBe(ACCESS_TOKEN);
  });

  it("can be made again under the previous master key", async () => {
    const rotated = keysFrom(`${SECOND},${FIRST}`);
    expect(await signToken(rotated, ACCESS, "test-1")).toBe(ACCESS_TOKEN);
    expect(await signToken(rotated, ACCESS)).not.toBe(ACCESS_TOKEN);
    expect(await verifyToken(rotated, ACCESS_TOKEN, "access", NOW)).toMatchObject({ ok: true });
    const withoutFirst = keysFrom(SECOND);
    expect(await signToken(withoutFirst, ACCESS, "test-1")).toBe(await signToken(rotated, ACCESS));
  });

  it("is interchangeable with those of a JWT library", async () => {
    const key = deriveKey(keys.current, "tokens");
    const { payload, protectedHeader } = await jwtVerify(await signToken(keys, ACCESS), key, {
      algorithms: ["HS256"],
      typ: "JWT",
      currentDate: new Date(NOW),
    });
    expect({ payload, protectedHeader }).toEqual({ payload: ACCESS, protectedHeader: HEADER });
    const otherOrder = { kid: "test-1", typ: "JWT", alg: "HS256" };
    const token = await new CompactSign(Buffer.from(JSON.stringify(ACCESS))).setProtectedHeader(otherOrder).sign(key);
    expect(token.startsWith(ACCESS_TOKEN.split(".")[0] ?? "")).toBe(false);
    expect(await verifyToken(keys, token, "access", NOW)).toEqual({ ok: true, value: ACCESS });
  });

  it("contains the version of a terminal's secret", async () => {
    const token = await signToken(keys, TERMINAL);
    expect(await verifyToken(keys, token, "terminal", NOW)).toEqual({ ok: true, value: TERMINAL });
  });

  it("is valid for its own use only", async () => {
    const access = await signToken(keys, ACCESS);
    const refresh = await signToken(keys, { ...ACCESS, use: "refresh" });
    const terminal = await signToken(keys, TERMINAL);
    const wrong = { ok: false, error: "use" };
    expect(await verifyToken(keys, access, "refresh", NOW)).toEqual(wrong);
    expect(await verifyToken(keys, access, "terminal", NOW)).toEqual(wrong);
    expect(await verifyToken(keys, refresh, "access", NOW)).toEqual(wrong);
    expect(await verifyToken(keys, terminal, "access", NOW)).toEqual(wrong);
    expect(await verifyToken(keys, terminal, ["access", "refresh"], NOW)).toEqual(wrong);
    expect(await verifyToken(keys, refresh, ["access", "refresh"], NOW)).toMatchObject({ ok: true });
  });

  it("expires exactly at its exp, after a check of its use", async () => {
    expect(await verifyToken(keys, ACCESS_TOKEN, "access", EXP * 1000 - 1)).toMatchObject({ ok: true });
    expect(await verifyToken(keys, ACCESS_TOKEN, "access", EXP * 1000)).toEqual({ ok: false, error: "expired" });
    expect(await verifyToken(keys, ACCESS_TOKEN, "refresh", EXP * 1000)).toEqual({ ok: false, error: "use" });
  });
});

describe("a previously verified token", () => {
  const FAILED = { ok: false, error: "signature" };

  it("is checked again for its use, end and master key", async () => {
    const token = await signToken(keys, { ...ACCESS, jti: "J-again" });
    for (let time = 0; time < 2; time++) {
      expect(await verifyToken(keys, token, "access", NOW)).toEqual({ ok: true, value: { ...ACCESS, jti: "J-again" } });
      expect(await verifyToken(keys, token, "refresh", NOW)).toEqual({ ok: false, error: "use" });
      expect(await verifyToken(keys, token, "access", EXP * 1000)).toEqual({ ok: false, error: "expired" });
      expect(await verifyToken(keysFrom(SECOND), token, "access", NOW)).toEqual(FAILED);
    }
  });

  it("does not make a similar token valid", async () => {
    const token = await signToken(keys, { ...ACCESS, jti: "J-alike" });
    expect((await verifyToken(keys, token, "access", NOW)).ok).toBe(true);
    for (const other of [` ${token}`, `${token} `, token.toUpperCase(), token.slice(1), `${token}A`]) {
      expect((await verifyToken(keys, other, "access", NOW)).ok).toBe(false);
    }
  });

  it("stays valid after many others were verified", async () => {
    const tokens: string[] = [];
    for (let ordinal = 0; ordinal <= VERIFIED_TOKENS + 1; ordinal++) {
      tokens.push(await signToken(keys, { ...ACCESS, jti: `J-${ordinal}` }));
    }
    for (const token of [...tokens, ...tokens.slice(0, 3)]) {
      expect((await verifyToken(keys, token, "access", NOW)).ok).toBe(true);
    }
  });
});

describe("a hostile token", () => {
  it("fails at its signature if payload, signature or key is changed", async () => {
    const [header, , signature = ""] = ACCESS_TOKEN.split(".");
    const failed = { ok: false, error: "signature" };
    const richer = `${header}.${encode({ ...ACCESS, sub: "POS-0002" })}.${signature}`;
    expect(await verifyToken(keys, richer, "access", NOW)).toEqual(failed);
    const turned = `${ACCESS_TOKEN.slice(0, -2)}${ACCESS_TOKEN.endsWith("kQ") ? "lQ" : "kQ"}`;
    expect(await verifyToken(keys, turned, "access", NOW)).toEqual(failed);
    expect(await verifyToken(keys, ACCESS_TOKEN.slice(0, -5), "access", NOW)).toEqual(failed);
    // 43 digits have two more bits than 32 bytes: the same signature, encoded differently.
    expect(await verifyToken(keys, `${ACCESS_TOKEN.slice(0, -1)}R`, "access", NOW)).toEqual(failed);
    expect(await verifyToken(keys, `${ACCESS_TOKEN}=`, "access", NOW)).toMatchObject({ ok: false });
    expect(await verifyToken(keys, `${header}.${encode(ACCESS)}.`, "access", NOW)).toEqual(failed);
    const sameKid = keysFrom(`test-1:${Buffer.alloc(32, 9).toString("base64")}`);
    expect(await verifyToken(sameKid, ACCESS_TOKEN, "access", NOW)).toEqual(failed);
    expect(await verifyToken(keysFrom(SECOND), ACCESS_TOKEN, "access", NOW)).toEqual(failed);
  });

  it.each<[string, unknown, string]>([
    ["the algorithm none", { ...HEADER, alg: "none" }, "malformed"],
    ["the algorithm HS512", { ...HEADER, alg: "HS512" }, "malformed"],
    ["the algorithm in lower case", { ...HEADER, alg: "hs256" }, "malformed"],
    ["no algorithm", { typ: "JWT", kid: "test-1" }, "malformed"],
    ["no typ", { alg: "HS256", kid: "test-1" }, "malformed"],
    ["another typ", { ...HEADER, typ: "at+jwt" }, "malformed"],
    ["a critical extension", { ...HEADER, crit: ["exp"], exp: 1 }, "malformed"],
    ["no kid", { alg: "HS256", typ: "JWT" }, "signature"],
    ["another kid", { ...HEADER, kid: "test-9" }, "signature"],
    ["a kid that is a name of Object's", { ...HEADER, kid: "__proto__" }, "signature"],
    ["a kid that is no text", { ...HEADER, kid: ["test-1"] }, "signature"],
  ])("is refused with %s, though its signature is right", async (_, header, reason) => {
    const hash = JSON.stringify(header).includes("HS512") ? "sha512" : "sha256";
    const token = forge(header, ACCESS, hash);
    expect(await verifyToken(keys, token, "access", NOW)).toEqual({ ok: false, error: reason });
    const [first, second] = token.split(".");
    expect(await verifyToken(keys, `${first}.${second}.`, "access", NOW)).toMatchObject({ ok: false });
  });

  it.each<[string, unknown]>([
    ["nothing", ""],
    ["no JSON", "hello"],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["null", null],
    ["a list", [ACCESS]],
    ["no subject", { ...ACCESS, sub: undefined }],
    ["an empty subject", { ...ACCESS, sub: "" }],
    ["no session", { ...ACCESS, sid: undefined }],
    ["no expiry", { ...ACCESS, exp: undefined }],
    ["an expiry as text", { ...ACCESS, exp: String(EXP) }],
    ["an expiry between seconds", { ...ACCESS, exp: EXP + 0.5 }],
    ["an unknown use", { ...ACCESS, use: "operator" }],
    ["a terminal's use without its version", { ...ACCESS, use: "terminal" }],
  ])("is refused with the payload %s, though its signature is right", async (_, payload) => {
    const token = forge(HEADER, payload);
    expect(await verifyToken(keys, token, "access", NOW)).toEqual({ ok: false, error: "malformed" });
  });

  it("is refused whatever its text, without an exception", async () => {
    const part = fc.oneof(anyText(), fc.json().map(encode), fc.constantFrom(...ACCESS_TOKEN.split(".")));
    const token = fc.oneof(
      anyText(),
      fc.array(part, { maxLength: 5 }).map((parts) => parts.join(".")),
    );
    await fc.assert(
      fc.asyncProperty(
        token.filter((text) => text !== ACCESS_TOKEN),
        async (text) => {
          expect(await verifyToken(keys, text, ["access", "refresh", "terminal"], NOW)).toMatchObject({ ok: false });
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("a token pair", () => {
  const MIDNIGHT = Date.parse("2026-11-20T16:00:00Z");

  it.each([
    ["2026-11-20T10:15:00.700Z", "2026-11-20T10:15:00Z", "2026-11-20T10:30:00Z"],
    ["2026-11-20T15:59:00.700Z", "2026-11-20T15:59:00Z", "2026-11-20T16:00:00Z"],
  ])("has whole seconds and ends with the day: %s", (now, issuedAt, accessExpiresAt) => {
    const pair = newPair({ kid: "test-1", timezone: "Asia/Kuala_Lumpur", devices: [] }, Date.parse(now));
    const times = { issuedAt: Date.parse(issuedAt), accessExpiresAt: Date.parse(accessExpiresAt) };
    expect(pair).toMatchObject({ ...times, refreshExpiresAt: MIDNIGHT });
  });
});
