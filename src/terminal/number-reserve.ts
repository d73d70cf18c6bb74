/**
 * The transaction numbers that a terminal has in reserve. They last at least a day at its own rate, so a keeper that is away
 * stops no sale; and they only grow.
 */
import type { NumberBlock } from "../rpc/keeper.ts";
import { JOURNAL_LIFE } from "../protocol/limits/transfers.ts";
import { DAY } from "../time/units.ts";
import { NUMBER_DAYS, NUMBER_DAYS_LOW, NUMBERS_AT_LEAST, NUMBERS_AT_MOST, NUMBERS_LOW } from "./limits.ts";

export interface NumberReserve {
  /** In rising order. Blocks that are used up go when the next one comes. */
  readonly blocks: readonly NumberBlock[];
  /** When the newest block came, epoch milliseconds, and how many numbers were left then, that block included. */
  readonly filledAt: number;
  readonly filledTo: number;
}

export const NO_RESERVE: NumberReserve = { blocks: [], filledAt: 0, filledTo: 0 };

/**
 * The next number to take; null if none is left.
 *
 * @param from lower ones are taken, or no longer wanted
 */
export function nextNumber({ blocks }: NumberReserve, from: number): number | null {
  const block = blocks.find(({ last }) => last >= from);
  return block === undefined ? null : Math.max(block.first, from);
}

export function numbersLeft({ blocks }: NumberReserve, from: number): number {
  return blocks.reduce((left, { first, last }) => left + Math.max(last - Math.max(first, from) + 1, 0), 0);
}

/**
 * How many numbers to reserve now; null if enough are left.
 *
 * The rate is what was taken since the reserve was filled. Within a day it counts in full: a terminal that becomes busy
 * reserves again after a quarter of what it has. A reserve as old as the journal is filled, too: so D1 hears of blocks
 * while they are in use (`storage/number-blocks.ts`).
 *
 * @param now epoch milliseconds
 */
export function numbersWanted(reserve: NumberReserve, from: number, now: number): number | null {
  const left = numbersLeft(reserve, from);
  const age = now - reserve.filledAt;
  const perDay = (reserve.filledTo - left) / Math.max(age / DAY, 1);
  const isEnough = left > Math.max(perDay * NUMBER_DAYS_LOW, NUMBERS_LOW);
  if (isEnough && age < JOURNAL_LIFE) return null;
  return Math.min(Math.max(Math.ceil(perDay * NUMBER_DAYS), NUMBERS_AT_LEAST), NUMBERS_AT_MOST);
}

/**
 * The reserve with one more block. A block that comes late and is lower than one that is held is dropped: one terminal's
 * numbers only grow.
 *
 * @param from as for `nextNumber`
 */
export function withBlock(reserve: NumberReserve, block: NumberBlock, from: number, now: number): NumberReserve {
  if (block.first <= lastNumber(reserve)) return reserve;
  const blocks = [...reserve.blocks.filter(({ last }) => last >= from), block];
  return { blocks, filledAt: now, filledTo: numbersLeft({ ...reserve, blocks }, from) };
}

/** The highest number that the terminal holds or has used up; 0 if it never had one. */
export function lastNumber({ blocks }: NumberReserve): number {
  return blocks.at(-1)?.last ?? 0;
}
