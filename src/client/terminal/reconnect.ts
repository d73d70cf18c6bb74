import { fullJitter } from "../backoff.ts";
import type { Backoff } from "../backoff.ts";
import { RETRY_SPREAD } from "../limits.ts";

/**
 * The wait before a terminal connects again, milliseconds.
 *
 * @param failed tries in a row that led to no ready connection; 0 after the loss of one that was ready
 * @param atLeast milliseconds that it has to wait in any case
 * @param random from 0 to 1
 */
export function reconnectWait(failed: number, atLeast: number, backoff: Backoff, random: () => number): number {
  return Math.max(fullJitter(Math.max(0, failed - 1), backoff, random), atLeast);
}

/**
 * The least wait of a terminal that the gateway told to come back later, milliseconds: what it asked for, and a random part
 * of it. Terminals that it sent away together, as after an outage, must not come back together.
 *
 * @param asked milliseconds
 * @param random from 0 to 1
 */
export function askedWait(asked: number, random: () => number): number {
  return asked * (1 + RETRY_SPREAD * random());
}
