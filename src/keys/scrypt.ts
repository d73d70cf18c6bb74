/**
 * scrypt (RFC 7914) in pieces. The platform's own implementation runs in one go and blocks the isolate; libraries yield by
 * the clock, which does not advance while code runs on the platform. Takes half as long again as the platform's. The names
 * are those of the RFC.
 */
import { pbkdf2Sync } from "node:crypto";

export interface ScryptCost {
  /** A power of two. */
  N: number;
  r: number;
  p: number;
}

/** Block mixes per piece: some two milliseconds for r = 8. A payment may wait for a piece at each of its steps. */
const PIECE = 1_024;

/**
 * @param cost r · p is at most 63: the platform's PBKDF2 returns at most 8,160 bytes
 * @param length of the hash, in bytes
 * @param pause is awaited after each piece
 */
export async function scrypt(
  password: Uint8Array,
  salt: Uint8Array,
  cost: ScryptCost,
  length: number,
  pause: () => Promise<void>,
): Promise<Uint8Array> {
  const { N, r, p } = cost;
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

  /** The steps of both halves from one number to another; the first half is 0 to N. */
  mix(from: number, to: number): void {
    const words = 32 * this.#r;
    for (let step = from; step < to; step++) {
      const block = this.#block;
      if (step < this.#N) this.#memory.set(block, step * words);
      else {
        const at = ((block[words - 16] ?? 0) & (this.#N - 1)) * words;
        for (let word = 0; word < words; word++) block[word] = (block[word] ?? 0) ^ (this.#memory[at + word] ?? 0);
      }
      blockMix(block, this.#next, this.#r);
      this.#block = this.#next;
      this.#next = block;
    }
  }

  /** Releases the memory at once: two hashes' worth of garbage would be half of an isolate's memory. */
  free(): void {
    this.#memory.buffer.transfer(0);
  }
}

/** scryptBlockMix: from one block of 2 r chunks to another, even chunks first. */
function blockMix(from: Uint32Array, to: Uint32Array, r: number): void {
  let before = from;
  let at = 32 * r - 16;
  for (let index = 0; index < 2 * r; index++) {
    const place = ((index >> 1) + (index & 1) * r) * 16;
    salsa(before, at, from, index * 16, to, place);
    before = to;
    at = place;
  }
}

/** Salsa20/8 of two chunks, combined, into a third. */
function salsa(
  one: Uint32Array,
  at: number,
  other: Uint32Array,
  otherAt: number,
  to: Uint32Array,
  place: number,
): void {
  const y0 = (one[at] ?? 0) ^ (other[otherAt] ?? 0);
  const y1 = (one[at + 1] ?? 0) ^ (other[otherAt + 1] ?? 0);
  const y2 = (one[at + 2] ?? 0) ^ (other[otherAt + 2] ?? 0);
  const y3 = (one[at + 3] ?? 0) ^ (other[otherAt + 3] ?? 0);
  const y4 = (one[at + 4] ?? 0) ^ (other[otherAt + 4] ?? 0);
  const y5 = (one[at + 5] ?? 0) ^ (other[otherAt + 5] ?? 0);
  const y6 = (one[at + 6] ?? 0) ^ (other[otherAt + 6] ?? 0);
  const y7 = (one[at + 7] ?? 0) ^ (other[otherAt + 7] ?? 0);
  const y8 = (one[at + 8] ?? 0) ^ (other[otherAt + 8] ?? 0);
  const y9 = (one[at + 9] ?? 0) ^ (other[otherAt + 9] ?? 0);
  const y10 = (one[at + 10] ?? 0) ^ (other[otherAt + 10] ?? 0);
  const y11 = (one[at + 11] ?? 0) ^ (other[otherAt + 11] ?? 0);
  const y12 = (one[at + 12] ?? 0) ^ (other[otherAt + 12] ?? 0);
  const y13 = (one[at + 13] ?? 0) ^ (other[otherAt + 13] ?? 0);
  const y14 = (one[at + 14] ?? 0) ^ (other[otherAt + 14] ?? 0);
  const y15 = (one[at + 15] ?? 0) ^ (other[otherAt + 15] ?? 0);
  let x0 = y0,
    x1 = y1,
    x2 = y2,
    x3 = y3;
  let x4 = y4,
    x5 = y5,
    x6 = y6,
    x7 = y7;
  let x8 = y8,
    x9 = y9,
    x10 = y10,
    x11 = y11;
  let x12 = y12,
    x13 = y13,
    x14 = y14,
    x15 = y15;
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
  to[place] = x0 + y0;
  to[place + 1] = x1 + y1;
  to[place + 2] = x2 + y2;
  to[place + 3] = x3 + y3;
  to[place + 4] = x4 + y4;
  to[place + 5] = x5 + y5;
  to[place + 6] = x6 + y6;
  to[place + 7] = x7 + y7;
  to[place + 8] = x8 + y8;
  to[place + 9] = x9 + y9;
  to[place + 10] = x10 + y10;
  to[place + 11] = x11 + y11;
  to[place + 12] = x12 + y12;
  to[place + 13] = x13 + y13;
  to[place + 14] = x14 + y14;
  to[place + 15] = x15 + y15;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
