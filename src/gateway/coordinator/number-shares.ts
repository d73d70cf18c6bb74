/**
 * Limits how many transaction numbers the terminals of one account reserve: one account must not use up the service's.
 */
import { BoundedMap } from "../lib/bounded-map.ts";
import { MINUTE, type EpochMs } from "../../protocol/time/units.ts";
import { NUMBERS_AT_LEAST } from "../terminal/storage/record.ts";

/** An account's share of each minute. A fleet of a thousand terminals that is bound in one minute stays within it. */
export const NUMBERS_PER_MINUTE = 100_000;

/** The shares are in memory: a new instance begins to count again. */
export class NumberShares {
  readonly #reserved = new BoundedMap<string, { minute: number; count: number }>(10_000);

  /**
   * Beyond its share, an account's blocks are the smallest ones. None is refused, because no payment may fail for it.
   *
   * @returns the size of the block to give
   */
  grant(account: string, size: number, now: EpochMs): number {
    const minute = Math.floor(now / MINUTE);
    const known = this.#reserved.get(account);
    const before = known?.minute === minute ? known.count : 0;
    const left = Math.max(NUMBERS_PER_MINUTE - before, NUMBERS_AT_LEAST);
    const granted = Math.min(size, left);
    this.#reserved.set(account, { minute, count: before + granted });
    return granted;
  }
}
