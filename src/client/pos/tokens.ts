import type { Token, TokenPair } from "../../protocol/accounts.ts";

/**
 * Stores a till's tokens between runs. Until midnight they are worth as much as the password: use a place that only the
 * till can read, never a browser's local storage. A failing store only costs a login.
 */
export interface TokenStore {
  load(): Promise<TokenPair | null>;
  /** Null: there is no session any more. */
  save(tokens: TokenPair | null): Promise<void>;
}

/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

/** A token pair in parsed JSON; null if it is not one. */
export function readTokens(value: unknown): TokenPair | null {
  if (typeof value !== "object" || value === null || !("access" in value) || !("refresh" in value)) return null;
  const access = readToken(value.access);
  const refresh = readToken(value.refresh);
  return access === null || refresh === null ? null : { access, refresh };
}

function readToken(value: unknown): Token | null {
  if (typeof value !== "object" || value === null || !("token" in value) || !("expiresAt" in value)) return null;
  const { token, expiresAt } = value;
  if (
    typeof token !== "string" ||
    !TOKEN.test(token) ||
    typeof expiresAt !== "string" ||
    Number.isNaN(Date.parse(expiresAt))
  )
    return null;
  return { token, expiresAt };
}
