import { setTimeout as delay } from "node:timers/promises";

/** The time is over. The message says what was waited for. */
export class InVain extends Error {
  override readonly name = "InVain";
}

/** Tries until something is there, and returns it. Throws `InVain`. */
export async function until<Of>(
  what: string,
  within: number,
  attempt: () => Promise<Of | null>,
  every = 300,
): Promise<Of> {
  const end = performance.now() + within;
  for (;;) {
    const found = await attempt();
    if (found !== null) return found;
    if (performance.now() > end) throw new InVain(`waited ${within / 1_000} s in vain: ${what}`);
    await delay(every);
  }
}
