/**
 * How long tests wait, in milliseconds, for an event that must come: only a hang takes longer, on the busiest machine. What
 * waits this long says what it still misses.
 */
export const PATIENCE = 60_000;

/** A test may wait for several events, one after the other. */
export const TEST_PATIENCE = 2 * PATIENCE;

// A test may put false timers in their place.
const { setTimeout, clearTimeout } = globalThis;

/**
 * Waits for a promise, and fails with what it still misses if nothing but a hang can be the reason.
 *
 * @param missing says what never came
 */
export async function patiently<T>(promise: Promise<T>, missing: () => string): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`never came: ${missing()}`)), PATIENCE);
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

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
    // Only Workers have a scheduler, which no false timer replaces.
    await ("scheduler" in globalThis ? scheduler.wait(pause) : new Promise((resolve) => setTimeout(resolve, pause)));
    waited += pause;
  }
}
