/**
 * scrypt (RFC 7914) in pieces. The platform's own implementation runs in one go and blocks the isolate; libraries yield
 * by the clock, which does not advance while code runs on the platform. Takes half as long again as the platform's. The
 * names are those of the RFC.
 */
import { pbkdf2Sync } from "node:crypto";

export interface Scrypt {
  /** A power of two. */
  N: number;
  /** r · p is at most 63: the platform's PBKDF2 returns at most 8,160 bytes. */
  r: number;
  p: number;
  /** Of the hash, in bytes. */
  length: number;
}

/** Block mixes per piece: some two milliseconds for r = 8. A payment may wait for a piece at each of its steps. */
const PIECE = 1_024;

/** @param pause is awaited after each piece */
export async function scrypt(
  password: Uint8Array,
  salt: Uint8Array,
  { N, r, p, length }: Scrypt,
  pause: () => Promise<void>,
): Promise<Uint8Array> {
  const bytes = Buffer.from(pbkdf2Sync(password, salt, 1, p * 128 * r, "sha256"));
  const mixer = new Mixer(N, r);
  try {
    for (let lane = 0; lane < p; lane++) {
      const block = bytes.subarray(lane * 128 * r, (lane + 1) * 128 * r);
      mixer.read(block);
      // Twice N mixes: the first half fills the memory, the second reads it in an order that depends on the content.
      for (let from = 0; from < 2 * N; from += PIECE) {
        mixer.mix(from, Math.min(from + PIECE, 2 * N));
        if (from + PIECE <= 2 * N) await pause();
      }
      mixer.write(block);
    }
  } finally {
    mixer.free();
  }
  return new Uint8Array(pbkdf2Sync(password, bytes, 1, length, "sha256"));
}

/** scryptROMix, step by step. Words are little-endian, like those of every machine that runs this. */
class Mixer {
  readonly #N: number;
  readonly #r: number;
  /** The RFC's V. */
  readonly #memory: Uint32Array<ArrayBuffer>;
  /** The RFC's X, and where the next X is computed. */
  #block: Uint32Array;
  #next: Uint32Array;
  readonly #chunk = new Uint32Array(16);

  constructor(N: number, r: number) {
    this.#N = N;
    this.#r = r;
    this.#memory = new Uint32Array(32 * r * N);
    this.#block = new Uint32Array(32 * r);
    this.#next = new Uint32Array(32 * r);
  }

  read(bytes: Buffer): void {
    for (let word = 0; word < this.#block.length; word++) this.#block[word] = bytes.readUInt32LE(word * 4);
  }

  write(bytes: Buffer): void {
    this.#block.forEach((value, word) => bytes.writeUInt32LE(value, word * 4));
  }

  /** Takes the steps of both halves from one number to another; the first half is 0 to N. */
  mix(from: number, to: number): void {
    const words = 32 * this.#r;
    for (let step = from; step < to; step++) {
      const block = this.#block;
      if (step < this.#N) this.#memory.set(block, step * words);
      else {
        const at = ((block[words - 16] ?? 0) & (this.#N - 1)) * words;
        for (let word = 0; word < words; word++) block[word] = (block[word] ?? 0) ^ (this.#memory[at + word] ?? 0);
      }
      blockMix(block, this.#next, this.#chunk);
      this.#block = this.#next;
      this.#next = block;
    }
  }

  /** Releases the memory at once: two hashes' worth of garbage would be half of an isolate's memory. */
  free(): void {
    this.#memory.buffer.transfer(0);
  }
}

/**
 * Maps one block of 2 r chunks to another, even chunks first.
 *
 * @param chunk 16 words to work in: the RFC's T
 */
function blockMix(from: Uint32Array, to: Uint32Array, chunk: Uint32Array): void {
  const last = from.length - 16;
  for (let word = 0; word < 16; word++) chunk[word] = from[last + word] ?? 0;
  for (let at = 0; at < from.length; at += 16) {
    for (let word = 0; word < 16; word++) chunk[word] = (chunk[word] ?? 0) ^ (from[at + word] ?? 0);
    salsa(chunk);
    const isOdd = (at & 16) !== 0;
    const place = (isOdd ? at - 16 + from.length : at) / 2;
    for (let word = 0; word < 16; word++) to[place + word] = chunk[word] ?? 0;
  }
}

/** Salsa20/8, in place. */
function salsa(chunk: Uint32Array): void {
  let x0 = chunk[0] ?? 0;
  let x1 = chunk[1] ?? 0;
  let x2 = chunk[2] ?? 0;
  let x3 = chunk[3] ?? 0;
  let x4 = chunk[4] ?? 0;
  let x5 = chunk[5] ?? 0;
  let x6 = chunk[6] ?? 0;
  let x7 = chunk[7] ?? 0;
  let x8 = chunk[8] ?? 0;
  let x9 = chunk[9] ?? 0;
  let x10 = chunk[10] ?? 0;
  let x11 = chunk[11] ?? 0;
  let x12 = chunk[12] ?? 0;
  let x13 = chunk[13] ?? 0;
  let x14 = chunk[14] ?? 0;
  let x15 = chunk[15] ?? 0;
  for (let round = 0; round < 8; round += 2) {
    x4 ^= rotated((x0 + x12) | 0, 7);
    x8 ^= rotated((x4 + x0) | 0, 9);
    x12 ^= rotated((x8 + x4) | 0, 13);
    x0 ^= rotated((x12 + x8) | 0, 18);
    x9 ^= rotated((x5 + x1) | 0, 7);
    x13 ^= rotated((x9 + x5) | 0, 9);
    x1 ^= rotated((x13 + x9) | 0, 13);
    x5 ^= rotated((x1 + x13) | 0, 18);
    x14 ^= rotated((x10 + x6) | 0, 7);
    x2 ^= rotated((x14 + x10) | 0, 9);
    x6 ^= rotated((x2 + x14) | 0, 13);
    x10 ^= rotated((x6 + x2) | 0, 18);
    x3 ^= rotated((x15 + x11) | 0, 7);
    x7 ^= rotated((x3 + x15) | 0, 9);
    x11 ^= rotated((x7 + x3) | 0, 13);
    x15 ^= rotated((x11 + x7) | 0, 18);
    x1 ^= rotated((x0 + x3) | 0, 7);
    x2 ^= rotated((x1 + x0) | 0, 9);
    x3 ^= rotated((x2 + x1) | 0, 13);
    x0 ^= rotated((x3 + x2) | 0, 18);
    x6 ^= rotated((x5 + x4) | 0, 7);
    x7 ^= rotated((x6 + x5) | 0, 9);
    x4 ^= rotated((x7 + x6) | 0, 13);
    x5 ^= rotated((x4 + x7) | 0, 18);
    x11 ^= rotated((x10 + x9) | 0, 7);
    x8 ^= rotated((x11 + x10) | 0, 9);
    x9 ^= rotated((x8 + x11) | 0, 13);
    x10 ^= rotated((x9 + x8) | 0, 18);
    x12 ^= rotated((x15 + x14) | 0, 7);
    x13 ^= rotated((x12 + x15) | 0, 9);
    x14 ^= rotated((x13 + x12) | 0, 13);
    x15 ^= rotated((x14 + x13) | 0, 18);
  }
  chunk[0] = x0 + (chunk[0] ?? 0);
  chunk[1] = x1 + (chunk[1] ?? 0);
  chunk[2] = x2 + (chunk[2] ?? 0);
  chunk[3] = x3 + (chunk[3] ?? 0);
  chunk[4] = x4 + (chunk[4] ?? 0);
  chunk[5] = x5 + (chunk[5] ?? 0);
  chunk[6] = x6 + (chunk[6] ?? 0);
  chunk[7] = x7 + (chunk[7] ?? 0);
  chunk[8] = x8 + (chunk[8] ?? 0);
  chunk[9] = x9 + (chunk[9] ?? 0);
  chunk[10] = x10 + (chunk[10] ?? 0);
  chunk[11] = x11 + (chunk[11] ?? 0);
  chunk[12] = x12 + (chunk[12] ?? 0);
  chunk[13] = x13 + (chunk[13] ?? 0);
  chunk[14] = x14 + (chunk[14] ?? 0);
  chunk[15] = x15 + (chunk[15] ?? 0);
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
