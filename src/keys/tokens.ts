/**
 * Tokens of accounts and terminals: JSON Web Tokens (RFC 7519), signed HS256 with a key derived from the master key
 * that their `kid` names.
 */
import { CompactSign, compactVerify, errors } from "jose";
import * as z from "zod";
import { decodeUtf8 } from "../signing/json.ts";
import { type MasterKey, type MasterKeys, deriveKey } from "./master-keys.ts";

const seconds = z.int().nonnegative();
const nonEmpty = z.string().min(1);

/** Claims of an account's token. The order of the members is that of the token's payload. */
const accountClaims = z.object({
  /** The account's posId. */
  sub: nonEmpty,
  /** The session. */
  sid: nonEmpty,
  use: z.enum(["access", "refresh"]),
  jti: nonEmpty,
  iat: seconds,
  exp: seconds,
});

const terminalClaims = z.object({
  /** The terminalId. */
  sub: nonEmpty,
  /** The version of the terminal's secret that the login was signed with. */
  ver: z.int().nonnegative(),
  use: z.literal("terminal"),
  jti: nonEmpty,
  iat: seconds,
  exp: seconds,
});

const tokenClaims = z.discriminatedUnion("use", [accountClaims, terminalClaims]);

/** `iat` and `exp` are seconds since 1970. */
export type AccountClaims = z.infer<typeof accountClaims>;
export type TerminalClaims = z.infer<typeof terminalClaims>;
export type TokenClaims = AccountClaims | TerminalClaims;
export type TokenUse = TokenClaims["use"];
/** The claims of a token whose use is `Use`. */
export type ClaimsFor<Use extends TokenUse> = Use extends "terminal"
  ? TerminalClaims
  : AccountClaims & { use: Exclude<Use, "terminal"> };

export type TokenVerdict<Use extends TokenUse> =
  | { ok: true; claims: ClaimsFor<Use> }
  /** The first that fails, in this order. `signature` also where no master key has the token's kid. */
  | { ok: false; reason: "malformed" | "signature" | "use" | "expired" };

const encoder = new TextEncoder();

/**
 * Signs claims. The same claims and kid give the same token, byte for byte: a refresh whose answer was lost is answered
 * with the same pair again. `kid` defaults to the current master key's, also where that key has been dropped since: its
 * tokens are refused anyway.
 */
export async function signToken(keys: MasterKeys, claims: TokenClaims, kid?: string): Promise<string> {
  const masterKey = (kid === undefined ? undefined : keys.all.get(kid)) ?? keys.current;
  // Parsing puts the members in the order of the schema, whatever order they came in.
  const payload = encoder.encode(JSON.stringify(tokenClaims.parse(claims)));
  return new CompactSign(payload)
    .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: masterKey.kid })
    .sign(await tokenKey(masterKey));
}

/**
 * Judges a token for one use, or for any of several, at `now` (epoch milliseconds). Takes HS256, `typ` JWT and a known
 * `kid` and nothing else (RFC 8725), and grants no tolerance to clocks: they are the gateway's own.
 */
export async function verifyToken<Use extends TokenUse>(
  keys: MasterKeys,
  token: string,
  use: Use | readonly Use[],
  now: number,
): Promise<TokenVerdict<Use>> {
  const verified = await verifiedPayload(keys, token);
  if (!verified.ok) return verified;
  const parsed = tokenClaims.safeParse(verified.payload);
  if (!parsed.success) return { ok: false, reason: "malformed" };
  const claims = parsed.data;
  const uses: readonly TokenUse[] = typeof use === "string" ? [use] : use;
  if (!uses.includes(claims.use)) return { ok: false, reason: "use" };
  if (now >= claims.exp * 1000) return { ok: false, reason: "expired" };
  // The assertion: `use` is one of `uses`, which no type can follow
  return { ok: true, claims: claims as ClaimsFor<Use> };
}

class UnknownKid extends Error {}

async function verifiedPayload(
  keys: MasterKeys,
  token: string,
): Promise<{ ok: true; payload: unknown } | { ok: false; reason: "malformed" | "signature" }> {
  try {
    const { payload, protectedHeader } = await compactVerify(
      token,
      (header) => {
        const masterKey = header.kid === undefined ? undefined : keys.all.get(header.kid);
        if (masterKey === undefined) throw new UnknownKid();
        return tokenKey(masterKey);
      },
      { algorithms: ["HS256"] },
    );
    if (protectedHeader.typ !== "JWT") return { ok: false, reason: "malformed" };
    const text = decodeUtf8(payload);
    return text === null ? { ok: false, reason: "malformed" } : { ok: true, payload: JSON.parse(text) };
  } catch (error) {
    if (error instanceof UnknownKid || error instanceof errors.JWSSignatureVerificationFailed) {
      return { ok: false, reason: "signature" };
    }
    if (error instanceof errors.JOSEError || error instanceof SyntaxError) return { ok: false, reason: "malformed" };
    throw error;
  }
}

/**
 * Imported keys, as importing costs more than verifying. The key itself is kept, not a promise of it: in workerd a
 * promise belongs to the request that made it.
 */
const imported = new WeakMap<MasterKey, CryptoKey>();

async function tokenKey(masterKey: MasterKey): Promise<CryptoKey> {
  const known = imported.get(masterKey);
  if (known !== undefined) return known;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", deriveKey(masterKey, "tokens"), algorithm, false, [
    "sign",
    "verify",
  ]);
  imported.set(masterKey, key);
  return key;
}
