import { randomBytes, scrypt } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { TokenPair, TokenStore } from "../../client/pos.ts";
import { readTokens } from "../../client/pos/session.ts";
import { readPrivate, writePrivate } from "../private-file.ts";
import type { Settings } from "../settings.ts";

export function sessionPath(settings: Settings, url: string, posId: string): string {
  return join(settings.folder("pos", url), `${encodeURIComponent(posId)}.json`);
}

/** The stored length of a secret's digest; see `digestSecret`. */
const DIGEST_BYTES = 2;

/**
 * Stores a session for the next command: a shell that logs in for each command soon reaches the limit of logins. The
 * session belongs to the secret that began it: the password, or otherwise the signing key. Another secret finds no
 * session, so the gateway checks it at the login.
 */
export class TokenFile implements TokenStore {
  readonly #path: string;
  readonly #secret: string;

  constructor(path: string, secret: string) {
    this.#path = path;
    this.#secret = secret;
  }

  async load(): Promise<TokenPair | null> {
    const text = await readPrivate(this.#path);
    if (text === null) return null;
    const kept: unknown = JSON.parse(text);
    const { salt, digest } = { salt: null, digest: null, ...(kept as object | null) };
    if (typeof salt !== "string" || digest !== (await digestSecret(this.#secret, salt))) return null;
    return readTokens(kept);
  }

  async save(tokens: TokenPair | null): Promise<void> {
    if (tokens === null) return rm(this.#path, { force: true });
    const salt = randomBytes(16).toString("base64url");
    const digest = await digestSecret(this.#secret, salt);
    await writePrivate(this.#path, JSON.stringify({ salt, digest, ...tokens }));
  }
}

/**
 * Tells one secret from another without revealing either. Salted and slow (RFC 7914), and so short that one in 65,536
 * guesses matches: a thief of the file cannot confirm a guess. The price: one wrong secret in 65,536 is accepted until
 * the session ends.
 */
function digestSecret(secret: string, salt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, DIGEST_BYTES, (error, key) => (error === null ? resolve(key.toString("hex")) : reject(error)));
  });
}
