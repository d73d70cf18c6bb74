import { useEffect as useNextFrame, useLayoutEffect, useMemo, useRef } from "hono/jsx/dom";

/**
 * Runs an effect after its part of the page is drawn, and cleans up before the next one and when the part is removed.
 *
 * Hono runs an effect in the next frame, even if its part was removed before, or its inputs have changed again. It never
 * cleans such an effect up: a removed part would keep polling, and be drawn a second time. Here, such an effect does not
 * run.
 */
export function useEffect(effect: () => void | (() => void), inputs: readonly unknown[]): void {
  const own = useMemo(() => Symbol("effect"), inputs);
  const due = useRef<symbol>(null);
  due.current = own;
  useLayoutEffect(() => () => void (due.current = null), []);
  useNextFrame(() => (due.current === own ? effect() : undefined), inputs);
}
