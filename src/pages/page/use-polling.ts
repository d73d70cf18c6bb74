import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { EpochMs } from "../../protocol/time/units.ts";

/** `value` is the last value, null before the first; `problem` says why the last reading failed. */
export interface Polled<Value> {
  value: Value | null;
  /** When the value was read; 0 before the first. */
  readAt: EpochMs;
  problem: string | null;
  again: () => void;
}

/**
 * Reads once in `every` while somebody looks at the page (`whileVisible`); 0 reads only once. Readings never
 * overlap: a gateway that cannot be reached does not get more and more calls, and its failure is shown in the end.
 *
 * @param isExpected whether the page shows this failure; any other is a fault of the page
 */
export function usePolling<Value>(
  read: () => Promise<Value>,
  every: number,
  inputs: readonly unknown[],
  isExpected: (error: unknown) => error is Error,
): Polled<Value> {
  const [known, setKnown] = useState<Omit<Polled<Value>, "again">>({ value: null, readAt: 0, problem: null });
  const round = useRef(0);
  const reading = useRef(false);
  const tick = useCallback(async () => {
    // Ignores a late answer of an earlier reading.
    const own = ++round.current;
    reading.current = true;
    try {
      const value = await read();
      if (own === round.current) setKnown({ value, readAt: Date.now(), problem: null });
    } catch (error) {
      if (!isExpected(error)) throw error;
      if (own === round.current) setKnown((last) => ({ ...last, problem: error.message }));
    } finally {
      if (own === round.current) reading.current = false;
    }
  }, inputs);
  const look = (): void => {
    if (!reading.current) void tick();
  };
  const forget = (): void => {
    round.current++;
    reading.current = false;
  };
  useEffect(() => {
    const stop = whileVisible(look, every);
    return () => {
      stop();
      forget();
    };
  }, [tick]);
  return { ...known, again: () => void tick() };
}

/**
 * Calls `look` now, once in `every` while the page is visible, and when it becomes visible: but not while a
 * dialog is open, because new values could remove what the dialog belongs to. Returns a function that stops.
 */
export function whileVisible(look: () => void, every: number): () => void {
  const turn = (): void => {
    if (document.visibilityState === "visible" && document.querySelector("dialog[open]") === null) look();
  };
  look();
  if (every === 0) return () => {};
  const timer = setInterval(turn, every);
  document.addEventListener("visibilitychange", turn);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", turn);
  };
}
