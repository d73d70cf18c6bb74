import type { Counts } from "../cost/sale.ts";

/** Calls to D1. */
export interface D1Work {
  reads: number;
  writes: number;
}

/** What a counted step asks of D1. */
export function d1Work({ d1RoundTrips, d1Writes }: Counts): D1Work {
  return { reads: d1RoundTrips - d1Writes, writes: d1Writes };
}
