/**
 * How long tests wait, in milliseconds, for an event that must come: only a hang takes longer. What waits this long says what
 * it still misses. CI may run on a machine that is busier than a developer's.
 */
export const PATIENCE = process.env["CI"] === undefined || process.env["CI"] === "" ? 20_000 : 60_000;

/** A test may wait for several events, one after the other, and is slow on a busy machine without waiting in vain. */
export const TEST_PATIENCE = 60_000 + 3 * PATIENCE;

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
