/**
 * The passwords that this isolate has verified, so that the next login of an account needs no hash. In memory only, under a
 * random key that is nowhere else: a dump without the key shows nothing to guess against (I6).
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { BoundedMap } from "../bounds/bounded-map.ts";
import { REMEMBERED_PASSWORDS } from "./limits.ts";

interface Remembered {
  version: number;
  mac: Buffer;
}

export class RememberedPasswords {
  readonly #known = new BoundedMap<string, Remembered>(REMEMBERED_PASSWORDS);
  #key: Uint8Array | null = null;

  /** After the password was verified. `version` counts the account's passwords. */
  remember(posId: string, version: number, password: string): void {
    this.#known.set(posId, { version, mac: this.#mac(posId, version, password) });
  }

  /** The version of the account's password that was verified with the same text; null: none was. */
  versionOf(posId: string, password: string): number | null {
    const known = this.#known.get(posId);
    if (known === undefined) return null;
    return timingSafeEqual(known.mac, this.#mac(posId, known.version, password)) ? known.version : null;
  }

  #mac(posId: string, version: number, password: string): Buffer {
    // Not at the start: an isolate may draw random bytes only in a request.
    this.#key ??= randomBytes(32);
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([posId, version, password.normalize("NFC")]))
      .digest();
  }
}

export const rememberedPasswords: RememberedPasswords = new RememberedPasswords();
