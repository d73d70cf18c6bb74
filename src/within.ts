/**
 * Waits for a promise, but no longer than that. The work itself goes on: who calls this no longer depends on it.
 *
 * With a timer that is cleared: `scheduler.wait` with a signal takes the runtime twice the time, and every payment waits
 * for its account twice.
 *
 * @returns what the promise resolves with; rejects with its error, or when the time is over
 */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
