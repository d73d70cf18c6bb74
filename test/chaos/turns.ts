import { setTimeout as delay } from "node:timers/promises";

/** One after the other, in the order in which they ask. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  async take<Of>(work: () => Promise<Of>): Promise<Of> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

/** Tries until something is there, and returns it. Throws when the time is over. */
export async function until<Of>(what: string, within: number, attempt: () => Promise<Of | null>): Promise<Of> {
  const end = performance.now() + within;
  for (;;) {
    const found = await attempt();
    if (found !== null) return found;
    if (performance.now() > end) throw new Error(`waited ${within / 1_000} s in vain: ${what}`);
    await delay(300);
  }
}
