import type { Token, TokenPair } from "../../protocol/accounts.ts";

/**
 * Where a POS keeps its tokens between runs. They are as good as the password until midnight: a place that only the POS
 * can read, never the local storage of a browser. A store that fails costs a login, nothing else.
 */
export interface TokenStore {
  load(): Promise<TokenPair | null>;
  /** Null: there is no session any more. */
  save(tokens: TokenPair | null): Promise<void>;
}

/** A token pair in parsed JSON, or null where it is none. */
export function readTokens(value: unknown): TokenPair | null {
  if (typeof value !== "object" || value === null || !("access" in value) || !("refresh" in value)) return null;
  const access = readToken(value.access);
  const refresh = readToken(value.refresh);
  return access === null || refresh === null ? null : { access, refresh };
}

function readToken(value: unknown): Token | null {
  if (typeof value !== "object" || value === null || !("token" in value) || !("expiresAt" in value)) return null;
  const { token, expiresAt } = value;
  if (typeof token !== "string" || typeof expiresAt !== "string" || Number.isNaN(Date.parse(expiresAt))) return null;
  return { token, expiresAt };
}
