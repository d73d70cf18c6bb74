export class NoAnswer extends Error {}

/**
 * Rejects when the time is over, while the work itself continues. The timer is cleared: `scheduler.wait` with a signal
 * costs the runtime twice the time, and every payment waits twice for its account.
 *
 * @throws `NoAnswer` when the time is over
 */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer(`no answer within ${milliseconds} ms`)), milliseconds);
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
