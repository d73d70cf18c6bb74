/** JSON Web Tokens (RFC 7519), signed with HS256 and a key derived from the master key that their `kid` names. */
import * as z from "zod";
import { errors, jwtVerify, SignJWT } from "jose";
import { BoundedMap } from "../lib/bounded-map.ts";
import { err, ok, type Result } from "../../protocol/result.ts";
import { deriveKey, type MasterKey, type MasterKeys } from "./master-keys.ts";
import { ACCESS_TOKEN_LIFE } from "../../protocol/limits.ts";
import type { TokenPair } from "../../protocol/accounts.ts";
import { isoWithOffset, nextMidnight } from "../../protocol/time/zone.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** Each isolate keeps at most this many tokens: about one kilobyte each of its 128 MB. */
export const VERIFIED_TOKENS = 1_000;

const seconds = z.int().nonnegative();
const nonEmpty = z.string().min(1);

/** The token's payload has its members in this order. */
const accountClaims = z.object({
  /** The subject is the posId. */
  sub: nonEmpty,
  /** The id of the session. */
  sid: nonEmpty,
  use: z.enum(["access", "refresh"]),
  jti: nonEmpty,
  iat: seconds,
  exp: seconds,
  /** The account's terminals when an access token was made, if there are few: a transfer may prewarm these. */
  dev: z.array(nonEmpty).optional(),
});

const terminalClaims = z.object({
  /** The subject is the terminalId. */
  sub: nonEmpty,
  /** The version of the secret that signed the login. */
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
export type ClaimsFor<Use extends TokenUse> = Use extends "terminal"
  ? TerminalClaims
  : AccountClaims & { use: Exclude<Use, "terminal"> };

/** The first failed check, in this order. It is `signature` also if no master key has the token's kid. */
type TokenRefusal = "malformed" | "signature" | "use" | "expired";

/**
 * The same claims and kid give the same token, byte for byte, so a refresh whose answer was lost returns the same pair
 * again. `kid` defaults to the current master key's, even if the given key has been dropped: its tokens are refused
 * anyway.
 */
export async function signToken(keys: MasterKeys, claims: TokenClaims, kid?: string): Promise<string> {
  const masterKey = (kid === undefined ? undefined : keys.all.get(kid)) ?? keys.current;
  // Parsing gives the members the order of the schema.
  return new SignJWT(tokenClaims.parse(claims))
    .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: masterKey.kid })
    .sign(tokenKey(masterKey));
}

/**
 * Checks a token at `now`. Accepts only HS256, `typ` JWT and a known `kid` (RFC 8725), without
 * clock tolerance: both clocks are the gateway's own.
 */
export async function verifyToken<Use extends TokenUse>(
  keys: MasterKeys,
  token: string,
  use: Use | readonly Use[],
  now: EpochMs,
): Promise<Result<ClaimsFor<Use>, TokenRefusal>> {
  const verified = await verifiedClaims(keys, token);
  if (!verified.ok) return verified;
  const claims = verified.value;
  const uses: readonly TokenUse[] = typeof use === "string" ? [use] : use;
  if (!uses.includes(claims.use)) return err("use");
  if (now >= claims.exp * 1000) return err("expired");
  // The assertion holds, because `use` is one of `uses`, which no type can follow.
  return ok(claims as ClaimsFor<Use>);
}

/**
 * Claims of recently verified tokens, by the master keys that verified them: a POS sends the same token for 15 minutes.
 */
const remembered = new WeakMap<MasterKeys, BoundedMap<string, TokenClaims>>();

/** Returns the claims of a token that is expired or not. */
async function verifiedClaims(
  keys: MasterKeys,
  token: string,
): Promise<Result<TokenClaims, "malformed" | "signature">> {
  let known = remembered.get(keys);
  if (known === undefined) remembered.set(keys, (known = new BoundedMap(VERIFIED_TOKENS)));
  const claims = known.get(token);
  if (claims !== undefined) return ok(claims);
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => keyNamed(keys, kid), {
      algorithms: ["HS256"],
      typ: "JWT",
      // Expiry is checked with each use of the claims, after the token's use.
      currentDate: new Date(0),
    });
    const parsed = tokenClaims.safeParse(payload);
    if (!parsed.success) return err("malformed");
    if (!isCanonical(token)) return err("signature");
    known.set(token, parsed.data);
    return ok(parsed.data);
  } catch (error) {
    const wrongKey = error instanceof UnknownKey || error instanceof errors.JWSSignatureVerificationFailed;
    return err(wrongKey ? "signature" : "malformed");
  }
}

class UnknownKey extends Error {}

function keyNamed(keys: MasterKeys, kid: unknown): Uint8Array {
  const masterKey = typeof kid === "string" ? keys.all.get(kid) : undefined;
  if (masterKey === undefined) throw new UnknownKey();
  return tokenKey(masterKey);
}

function tokenKey(masterKey: MasterKey): Uint8Array {
  return deriveKey(masterKey, "tokens");
}

/** Base64url has several spellings of the same 32 bytes (RFC 4648, section 3.5); only the canonical one is accepted. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}

const SECOND = 1_000;

/** Determines a token pair. Times are in whole seconds, the precision of tokens. */
export interface PairIngredients {
  /** The master key that signs the pair. */
  kid: string;
  /** The time zone of the pair's times. */
  timezone: string;
  issuedAt: EpochMs;
  accessId: string;
  accessExpiresAt: EpochMs;
  refreshId: string;
  refreshExpiresAt: EpochMs;
  /** The terminalIds that the access token names. */
  devices: readonly string[];
}

interface PairTerms {
  kid: string;
  timezone: string;
  devices: readonly string[];
}

export function newPair({ kid, timezone, devices }: PairTerms, now: EpochMs): PairIngredients {
  const midnight = nextMidnight(now, timezone);
  const issuedAt = wholeSecond(now);
  return {
    kid,
    timezone,
    issuedAt,
    accessId: crypto.randomUUID(),
    accessExpiresAt: Math.min(wholeSecond(now + ACCESS_TOKEN_LIFE), midnight),
    refreshId: crypto.randomUUID(),
    refreshExpiresAt: midnight,
    devices,
  };
}

/** Returns the same bytes for the same ingredients. */
export async function createTokenPair(
  keys: MasterKeys,
  posId: string,
  sessionId: string,
  pair: PairIngredients,
): Promise<TokenPair> {
  const dev = pair.devices.length === 0 ? {} : { dev: [...pair.devices] };
  const issue = async (use: "access" | "refresh", id: string, expiresAt: EpochMs): Promise<TokenPair["access"]> => {
    const times = { iat: pair.issuedAt / SECOND, exp: expiresAt / SECOND };
    const claims: AccountClaims = { sub: posId, sid: sessionId, use, jti: id, ...times };
    return {
      token: await signToken(keys, use === "access" ? { ...claims, ...dev } : claims, pair.kid),
      expiresAt: isoWithOffset(expiresAt, pair.timezone),
    };
  };
  return {
    access: await issue("access", pair.accessId, pair.accessExpiresAt),
    refresh: await issue("refresh", pair.refreshId, pair.refreshExpiresAt),
  };
}

function wholeSecond(epochMs: number): number {
  return Math.floor(epochMs / SECOND) * SECOND;
}
