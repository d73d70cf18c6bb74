import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { TokenPair, TokenStore } from "../../client/pos.ts";
import { readTokens } from "../../client/pos/tokens.ts";
import { readIfThere, writePrivate } from "../private-file.ts";
import type { Settings } from "../settings.ts";

/** The session of one account at one gateway. */
export function sessionPath(settings: Settings, url: string, posId: string): string {
  return join(settings.folder("pos", url), `${encodeURIComponent(posId)}.json`);
}

/** Keeps a session from one command to the next: a shell that logs in for each of them soon meets the limit of logins. */
export class TokenFile implements TokenStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async load(): Promise<TokenPair | null> {
    const text = await readIfThere(this.#path);
    return text === null ? null : readTokens(JSON.parse(text));
  }

  async save(tokens: TokenPair | null): Promise<void> {
    if (tokens === null) await rm(this.#path, { force: true });
    else await writePrivate(this.#path, JSON.stringify(tokens));
  }
}
