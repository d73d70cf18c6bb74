/**
 * Passwords are stored as scrypt hashes (RFC 7914), for the Worker only: a hash takes half a second of CPU. Some
 * accounts have a secret from the gateway instead.
 */
import { randomBytes, timingSafeEqual, createHmac } from "node:crypto";
import { scrypt } from "./scrypt.ts";
import { BoundedMap } from "../bounds/bounded-map.ts";
import { REMEMBERED_PASSWORDS } from "./limits.ts";
import { type Caller, FairQueue } from "../bounds/fair-queue.ts";
import type { Result } from "../outcomes/result.ts";
import { SECOND } from "../time/units.ts";

/** 2^15 · 8 · 3: N = 2^15 needs 32 MiB of an isolate's 128. OWASP's table of equal strengths has this row. */
const LOG_N = 15;
const BLOCK_SIZE = 8;
const PARALLELISM = 3;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

interface Hashed {
  logN: number;
  blockSize: number;
  parallelism: number;
  salt: Uint8Array;
  hash: Uint8Array;
}

/** The comparison value without an account: no password matches it, and checking takes the same time. */
const NOBODY: Hashed = {
  logN: LOG_N,
  blockSize: BLOCK_SIZE,
  parallelism: PARALLELISM,
  salt: new Uint8Array(SALT_BYTES),
  hash: new Uint8Array(HASH_BYTES),
};

/** Awaited between two pieces of a hash, so that other work can run. */
type Pause = () => Promise<void>;

/** With a new salt: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, both in base64 without padding. */
export async function hashPassword(password: string, pause: Pause): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, { ...NOBODY, salt }, pause);
  return `$scrypt$ln=${LOG_N},r=${BLOCK_SIZE},p=${PARALLELISM}$${unpadded(salt)}$${unpadded(hash)}`;
}

/**
 * With null (no such account), takes the same time and returns false, so that the time does not reveal which accounts
 * exist (I6).
 */
export async function verifyPassword(password: string, hash: string | null, pause: Pause): Promise<boolean> {
  const known = hash === null ? null : parse(hash);
  const expected = known ?? NOBODY;
  const equal = timingSafeEqual(await derive(password, expected, pause), expected.hash);
  return equal && known !== null;
}

/** Normalises first (NFC, RFC 8265, section 4.2.2): keyboards compose an é differently. */
function derive(
  password: string,
  { logN, blockSize, parallelism, salt, hash }: Hashed,
  pause: Pause,
): Promise<Uint8Array> {
  const cost = { N: 2 ** logN, r: blockSize, p: parallelism, length: hash.length };
  return scrypt(Buffer.from(password.normalize("NFC"), "utf8"), salt, cost, pause);
}

/**
 * Requires salt and hash in full: scrypt's shorter outputs are prefixes of its longer ones, so a shortened hash would still
 * match, and be easier to hit.
 */
const HASHED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/** Reads the parameters from the hash, so that raising them leaves older hashes valid. */
function parse(text: string): Hashed | null {
  const [, logN, blockSize, parallelism, salt = "", hash] = HASHED.exec(text) ?? [];
  if (hash === undefined) return null;
  return {
    logN: Number(logN),
    blockSize: Number(blockSize),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}

/** 160 random bits cannot be guessed, so a fast hash is enough: it costs microseconds, not the 300 ms of a password. */
const SECRET_BYTES = 20;
const KEY_BYTES = 16;

const SECRET = /^[A-Za-z0-9_-]{27}$/;

/** 16 bytes of key and 32 of HMAC-SHA-256, in base64url. */
const SECRET_HASH = /^\$hmac-sha256\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;

/** 27 characters of base64url. */
export function drawSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** A password may have the form of a secret too. */
export function mayBeSecret(text: string): boolean {
  return SECRET.test(text);
}

/** With its own key: `$hmac-sha256$<key>$<hash>`. */
export function hashSecret(secret: string): string {
  const key = randomBytes(KEY_BYTES);
  return `$hmac-sha256$${key.toString("base64url")}$${mac(secret, key).toString("base64url")}`;
}

export function isSecretHash(hash: string): boolean {
  return SECRET_HASH.test(hash);
}

/** False for the hash of a password. Takes constant time. */
export function verifySecret(given: string, hash: string): boolean {
  const [, key = "", expected] = SECRET_HASH.exec(hash) ?? [];
  if (expected === undefined) return false;
  return timingSafeEqual(mac(given, Buffer.from(key, "base64url")), Buffer.from(expected, "base64url"));
}

function mac(secret: string, key: Uint8Array): Buffer {
  return createHmac("sha256", key).update(secret).digest();
}

interface Remembered {
  version: number;
  mac: Buffer;
}

/**
 * Passwords that this isolate has verified: the next login needs no hash. In memory only, under a random key that is
 * nowhere else: a dump without the key shows nothing to guess against (I6).
 */
class RememberedPasswords {
  readonly #known = new BoundedMap<string, Remembered>(REMEMBERED_PASSWORDS);
  #key: Uint8Array | null = null;

  /** Call only with a verified password. `version` counts the account's passwords. */
  remember(posId: string, version: number, password: string): void {
    this.#known.set(posId, { version, mac: this.#mac(posId, version, password) });
  }

  /** The version at which this very password was verified; null: it was not. */
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

/**
 * How an isolate shares its time between password hashes and everything else. A hash takes some 500 ms of CPU, during
 * which nothing else of the isolate would run, payments included. So it runs in short pieces with a pause after each.
 * Few run at a time, few wait, and all others are asked to retry.
 */

/**
 * Each hash needs 32 MiB of an isolate's 128 MB (https://developers.cloudflare.com/workers/platform/limits/). Of the
 * hashes that wait, only those that can be done in time begin. A slot expires after many times the length of a piece
 * and its pause.
 */
const LIMITS = { atOnce: 2, apart: 0, waiting: 12, abandonedAfter: 5 * SECOND };

/** After a piece, in milliseconds: what the piece delayed goes first. */
const PAUSE = 2;

/** How often a paused hash checks whether to continue, in milliseconds. */
const LOOK = 1;

/** A pause is over after this time even if nobody ended it, in milliseconds: its request is gone. */
const LEFT = 250;

export class HashGate {
  readonly #queue = new FairQueue(LIMITS);
  /** Until when no piece starts, in `performance.now()`. */
  #pausesUntil = 0;

  isFullFor(address: string): boolean {
    return this.#queue.isFullFor(address);
  }

  /**
   * `busy` if too many wait, or the work cannot be done in time.
   *
   * @param work awaits `pause` after each of its pieces
   */
  run<T>(caller: Caller, work: (pause: () => Promise<void>) => Promise<T>): Promise<Result<T, "busy">> {
    return this.#queue.run(caller, (goesOn) => work(() => this.#pause(goesOn)));
  }

  /** No two pieces run back to back, for any caller. */
  async #pause(goesOn: () => void): Promise<void> {
    this.#pausesUntil = performance.now() + LEFT;
    // The platform's clock does not advance while code runs: without this, the pause would be over before it starts.
    await scheduler.wait(1);
    this.#pausesUntil = performance.now() + PAUSE - 1;
    while (performance.now() < this.#pausesUntil) {
      goesOn();
      await scheduler.wait(LOOK);
    }
  }
}

export const hashGate: HashGate = new HashGate();
