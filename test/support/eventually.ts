import { PATIENCE } from "./patience.ts";

/** Milliseconds between two looks: often at first, and seldom enough to leave a busy machine its time. */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 250;

/**
 * Looks until a look throws nothing, and returns what it saw. Waits in real time: `vi.waitFor` moves a faked clock.
 *
 * @throws the last look's error, if nothing but a hang can be the reason
 */
export async function eventually<Seen>(look: () => Seen | Promise<Seen>): Promise<Seen> {
  for (let waited = 0, pause = FIRST_PAUSE; ; pause = Math.min(pause * 1.05, LONGEST_PAUSE)) {
    try {
      return await look();
    } catch (error) {
      if (waited >= PATIENCE) throw error;
    }
    await scheduler.wait(pause);
    waited += pause;
  }
}
