/** The token pair that login and refresh return. */
import type { MasterKeys } from "./master-keys.ts";
import { signToken } from "./tokens.ts";
import { ACCESS_TOKEN_LIFE } from "../protocol/limits/keys.ts";
import type { TokenPair } from "../protocol/accounts.ts";
import { isoWithOffset, nextMidnight } from "../time/zone.ts";

const SECOND = 1_000;

/** What determines a token pair. Times are epoch milliseconds in whole seconds, the precision of tokens. */
export interface PairIngredients {
  /** The master key that signs it. */
  kid: string;
  /** The zone of its times. */
  timezone: string;
  issuedAt: number;
  accessId: string;
  accessExpiresAt: number;
  refreshId: string;
  refreshExpiresAt: number;
}

/**
 * The ingredients of a pair issued at `now` to an account in this time zone.
 *
 * @param kid the master key that will sign it
 */
export function newPair(kid: string, timezone: string, now: number): PairIngredients {
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
  };
}

/** The pair: the same ingredients give the same bytes. */
export async function tokenPair(
  keys: MasterKeys,
  posId: string,
  sessionId: string,
  pair: PairIngredients,
): Promise<TokenPair> {
  const issue = async (use: "access" | "refresh", id: string, expiresAt: number): Promise<TokenPair["access"]> => ({
    token: await signToken(
      keys,
      { sub: posId, sid: sessionId, use, jti: id, iat: pair.issuedAt / SECOND, exp: expiresAt / SECOND },
      pair.kid,
    ),
    expiresAt: isoWithOffset(expiresAt, pair.timezone),
  });
  return {
    access: await issue("access", pair.accessId, pair.accessExpiresAt),
    refresh: await issue("refresh", pair.refreshId, pair.refreshExpiresAt),
  };
}

function wholeSecond(epochMs: number): number {
  return Math.floor(epochMs / SECOND) * SECOND;
}
