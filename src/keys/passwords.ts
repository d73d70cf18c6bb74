/** Accounts' passwords, stored as scrypt hashes (RFC 7914). For the Worker only: a hash takes half a second of CPU. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { scrypt } from "./scrypt.ts";

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

/** The comparison value if there is no account: no password matches it, and checking takes the same time. */
const NOBODY: Hashed = {
  logN: LOG_N,
  blockSize: BLOCK_SIZE,
  parallelism: PARALLELISM,
  salt: new Uint8Array(SALT_BYTES),
  hash: new Uint8Array(HASH_BYTES),
};

/** Awaited between two pieces of a hash, so that other work can run. */
type Pause = () => Promise<void>;

/** Hashes a password with a new salt, as `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, both in base64 without padding. */
export async function hashPassword(password: string, pause: Pause): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, { ...NOBODY, salt }, pause);
  return `$scrypt$ln=${LOG_N},r=${BLOCK_SIZE},p=${PARALLELISM}$${unpadded(salt)}$${unpadded(hash)}`;
}

/**
 * Whether `password` matches the hash. With null (no such account), takes the same time and returns false, so that the time
 * does not reveal which accounts exist (I6).
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
  const cost = { N: 2 ** logN, r: blockSize, p: parallelism };
  return scrypt(Buffer.from(password.normalize("NFC"), "utf8"), salt, cost, hash.length, pause);
}

/**
 * Requires salt and hash in full: scrypt's shorter outputs are prefixes of its longer ones, so a shortened hash would still
 * match, and be easier to hit.
 */
const HASHED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/** Reads the parameters from the hash, so that raising them leaves older hashes valid. */
function parse(text: string): Hashed | null {
  const [, logN, blockSize, parallelism, salt, hash] = HASHED.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return null;
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
