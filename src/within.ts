/**
 * Waits for a promise, but no longer than that. The work itself goes on: who calls this no longer depends on it.
 *
 * @returns what the promise resolves with; rejects with its error, or when the time is over
 */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const over = new AbortController();
  try {
    const tooLate = scheduler.wait(milliseconds, { signal: over.signal }).then(() => {
      throw new Error(`no answer within ${milliseconds} ms`);
    });
    return await Promise.race([promise, tooLate]);
  } finally {
    over.abort();
  }
}
