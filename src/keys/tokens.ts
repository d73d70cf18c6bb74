/**
 * Tokens of accounts and terminals: JSON Web Tokens (RFC 7519), signed HS256 with a key derived from the master key
 * that their `kid` names.
 *
 * A library signs; what is verified with every request is verified here, in one turn: WebCrypto, which the library calls,
 * takes a detour through a promise that costs more than the HMAC itself. Each checks the other in the tests.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { CompactSign } from "jose";
import * as z from "zod";
import { VERIFIED_TOKENS } from "../limits.ts";
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
  return new CompactSign(payload).setProtectedHeader(headerMembers(masterKey)).sign(deriveKey(masterKey, "tokens"));
}

/**
 * Judges a token for one use, or for any of several, at `now` (epoch milliseconds). Takes HS256, `typ` JWT and a known
 * `kid` and nothing else (RFC 8725), and grants no tolerance to clocks: they are the gateway's own.
 */
export function verifyToken<Use extends TokenUse>(
  keys: MasterKeys,
  token: string,
  use: Use | readonly Use[],
  now: number,
): TokenVerdict<Use> {
  const verified = verifiedClaims(keys, token);
  if (!verified.ok) return verified;
  const { claims } = verified;
  const uses: readonly TokenUse[] = typeof use === "string" ? [use] : use;
  if (!uses.includes(claims.use)) return { ok: false, reason: "use" };
  if (now >= claims.exp * 1000) return { ok: false, reason: "expired" };
  // The assertion: `use` is one of `uses`, which no type can follow
  return { ok: true, claims: claims as ClaimsFor<Use> };
}

/**
 * Claims of tokens that were verified a moment ago: a till sends the same one for a quarter of an hour. In this isolate's
 * memory alone, and bounded; by the master keys that verified them.
 */
const remembered = new WeakMap<MasterKeys, Map<string, TokenClaims>>();

/** What a token says, whether it is still valid or not. */
function verifiedClaims(
  keys: MasterKeys,
  token: string,
): { ok: true; claims: TokenClaims } | { ok: false; reason: "malformed" | "signature" } {
  const known = remembered.get(keys) ?? new Map<string, TokenClaims>();
  const claims = known.get(token);
  if (claims !== undefined) return { ok: true, claims };
  const verified = verifiedPayload(keys, token);
  if (!verified.ok) return verified;
  const parsed = tokenClaims.safeParse(verified.payload);
  if (!parsed.success) return { ok: false, reason: "malformed" };
  // The one that was verified first goes.
  const [oldest] = known.size >= VERIFIED_TOKENS ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  remembered.set(keys, known.set(token, parsed.data));
  return { ok: true, claims: parsed.data };
}

/** Header, payload and signature of a JWS in its compact form (RFC 7515, section 7.1). */
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)$/;

function verifiedPayload(
  keys: MasterKeys,
  token: string,
): { ok: true; payload: unknown } | { ok: false; reason: "malformed" | "signature" } {
  const [, header, payload, signature] = COMPACT.exec(token) ?? [];
  if (header === undefined || payload === undefined || signature === undefined) {
    return { ok: false, reason: "malformed" };
  }
  const masterKey = keyOf(keys, header);
  if (masterKey === "malformed") return { ok: false, reason: "malformed" };
  if (masterKey === null) return { ok: false, reason: "signature" };
  const expected = createHmac("sha256", deriveKey(masterKey, "tokens"))
    .update(`${header}.${payload}`)
    .digest("base64url");
  // Texts are compared, not bytes: of several texts that decode to the same bytes only the one that is written passes.
  if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) {
    return { ok: false, reason: "signature" };
  }
  return json(payload);
}

/** What a base64url text says, as JSON in UTF-8. */
function json(encoded: string): { ok: true; payload: unknown } | { ok: false; reason: "malformed" } {
  const text = decodeUtf8(Buffer.from(encoded, "base64url"));
  if (text === null) return { ok: false, reason: "malformed" };
  try {
    return { ok: true, payload: JSON.parse(text) };
  } catch {
    return { ok: false, reason: "malformed" };
  }
}

const protectedHeader = z.object({
  alg: z.literal("HS256"),
  typ: z.literal("JWT"),
  kid: z.unknown().optional(),
  // RFC 7515, section 4.1.11: an extension that must be understood is not.
  crit: z.undefined().optional(),
});

/** The master key that a token's header names; null: none of that name. */
function keyOf(keys: MasterKeys, encoded: string): MasterKey | "malformed" | null {
  // Every token of ours has the very header that is written for its key.
  for (const masterKey of keys.all.values()) if (encoded === headerOf(masterKey)) return masterKey;
  const header = json(encoded);
  const parsed = header.ok ? protectedHeader.safeParse(header.payload) : null;
  if (!parsed?.success) return "malformed";
  const { kid } = parsed.data;
  return typeof kid === "string" ? (keys.all.get(kid) ?? null) : null;
}

function headerMembers({ kid }: MasterKey): { alg: string; typ: string; kid: string } {
  return { alg: "HS256", typ: "JWT", kid };
}

const headers = new WeakMap<MasterKey, string>();

function headerOf(masterKey: MasterKey): string {
  const known = headers.get(masterKey);
  if (known !== undefined) return known;
  const header = Buffer.from(JSON.stringify(headerMembers(masterKey))).toString("base64url");
  headers.set(masterKey, header);
  return header;
}
