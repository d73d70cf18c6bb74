import type { Milliseconds } from "../../protocol/time/units.ts";

/** A wait requested by the gateway is extended by up to this share. */
export const RETRY_SPREAD = 0.25;

/** Waits grow from about `first` to about `longest`. */
export interface Backoff {
  first: Milliseconds;
  longest: Milliseconds;
}

/**
 * The wait before attempt `tries` + 1: random below a bound that doubles each time, so that clients that lost their
 * gateway together do not return together.
 */
export function fullJitter(tries: number, { first, longest }: Backoff, random: () => number): number {
  return random() * Math.min(longest, first * 2 ** Math.min(tries, 30));
}

/** As `fullJitter`, but at least half the bound, for callers that must not ask again at once. */
export function halfJitter(tries: number, backoff: Backoff, random: () => number): number {
  const bound = fullJitter(tries, backoff, () => 1);
  return bound / 2 + random() * (bound / 2);
}

/** Resolves after `milliseconds`, or at once when `signal` is aborted. Check the signal to see which. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(finish, Math.max(0, milliseconds));
    function finish(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    }
    signal?.addEventListener("abort", finish, { once: true });
  });
}
