import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** `value`: the last value, null before the first; `problem`: why the last reading failed. */
export interface Polled<Value> {
  value: Value | null;
  problem: string | null;
  /** Reads again now. */
  again: () => void;
}

/**
 * Reads every `every` milliseconds while the page is visible. 0: only once. Waits for a reading that takes longer, so
 * that a gateway that cannot be reached does not get more and more calls, and the failure is shown in the end.
 *
 * @param isExpected whether the page shows this failure; any other is a fault of the page
 */
export function usePolling<Value>(
  read: () => Promise<Value>,
  every: number,
  inputs: readonly unknown[],
  isExpected: (error: unknown) => error is Error,
): Polled<Value> {
  const [known, setKnown] = useState<{ value: Value | null; problem: string | null }>({ value: null, problem: null });
  const round = useRef(0);
  const reading = useRef(false);
  const tick = useCallback(async () => {
    // Ignores a late answer of an earlier round.
    const own = ++round.current;
    reading.current = true;
    try {
      const value = await read();
      if (own === round.current) setKnown({ value, problem: null });
    } catch (error) {
      if (!isExpected(error)) throw error;
      if (own === round.current) setKnown(({ value }) => ({ value, problem: error.message }));
    } finally {
      if (own === round.current) reading.current = false;
    }
  }, inputs);
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === "visible" && !reading.current) void tick();
    };
    look();
    const timer = every === 0 ? undefined : setInterval(look, every);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
      round.current++;
      reading.current = false;
    };
  }, [tick]);
  return { ...known, again: () => void tick() };
}
