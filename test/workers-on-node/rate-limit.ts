/** A rate limit's binding on Node: counts by minute. */
import { MINUTE } from "../../src/protocol/time/units.ts";

const limits = new Set<RateLimit>();

export class RateLimit {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
    limits.add(this);
  }

  async limit({ key }: { key: string }): Promise<{ success: boolean }> {
    const place = `${Math.floor(performance.now() / MINUTE)} ${key}`;
    const count = (this.#counts.get(place) ?? 0) + 1;
    this.#counts.set(place, count);
    return { success: count <= this.#limit };
  }

  reset(): void {
    this.#counts.clear();
  }
}

export function forgetCounts(): void {
  for (const limit of limits) limit.reset();
}
