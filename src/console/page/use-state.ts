import { useCallback, useLayoutEffect, useRef, useState as useAnyState } from "hono/jsx/dom";

/**
 * A value that a part of the page keeps. A change draws the part again, but not after the part was removed.
 *
 * Hono ignores only the first change of a removed part. At the second, it draws the part again, beside whatever has taken
 * its place, and nothing ever removes it.
 */
export function useState<Value>(
  first: Value | (() => Value),
): [value: Value, change: (next: Value | ((known: Value) => Value)) => void] {
  const [value, set] = useAnyState(first);
  const isGone = useRef(false);
  useLayoutEffect(() => () => void (isGone.current = true), []);
  const change = useCallback<typeof set>((next) => {
    if (!isGone.current) set(next);
  }, []);
  return [value, change];
}
