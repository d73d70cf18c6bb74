/** Passwords of accounts, kept as scrypt hashes (RFC 7914). For the Worker only: a hash takes a fifth of a second. */
import { type ScryptOptions, randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/**
 * 2^15 · 8 · 3: workerd refuses N · r · p above 2^20, and N = 2^15 needs 32 MiB of an isolate's 128. OWASP's table of
 * equal strengths has this row.
 */
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

/** What is compared with where there is no account: nothing hashes to it, but trying takes as long. */
const NOBODY: Hashed = {
  logN: LOG_N,
  blockSize: BLOCK_SIZE,
  parallelism: PARALLELISM,
  salt: new Uint8Array(SALT_BYTES),
  hash: new Uint8Array(HASH_BYTES),
};

/** Hashes a password with a new salt, as `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, both in base64 without padding. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, { ...NOBODY, salt });
  return `$scrypt$ln=${LOG_N},r=${BLOCK_SIZE},p=${PARALLELISM}$${unpadded(salt)}$${unpadded(hash)}`;
}

/**
 * Whether `password` is the one that was hashed. With null (no such account) it works as long and says no, so that the
 * time does not tell which accounts exist (I6).
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const known = hash === null ? null : parse(hash);
  const expected = known ?? NOBODY;
  const equal = timingSafeEqual(await derive(password, expected), expected.hash);
  return equal && known !== null;
}

/** Normalised first (NFC, as RFC 8265 4.2.2 has it): keyboards differ in how they compose an é. */
function derive(password: string, { logN, blockSize, parallelism, salt, hash }: Hashed): Promise<Uint8Array> {
  const N = 2 ** logN;
  // What scrypt takes is 128 · r · (N + p) bytes and a little; the default maximum, 32 MiB, is just below it.
  const options: ScryptOptions = { N, r: blockSize, p: parallelism, maxmem: 2 * 128 * blockSize * N };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFC"), salt, hash.length, options, (error, key) => {
      if (error === null) resolve(new Uint8Array(key));
      else reject(error);
    });
  });
}

/**
 * Salt and hash are asked for in full: scrypt's shorter outputs begin its longer ones, so a hash that was cut would
 * still be right, and easier to hit.
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
