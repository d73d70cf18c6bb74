import { useEffect } from "./use-effect.ts";
import { useState } from "./use-state.ts";

/**
 * The current value of something outside the page's parts, drawn again whenever it changes. For `useSyncExternalStore`,
 * which Hono builds on its own effects: see use-effect.ts.
 *
 * @param subscribe calls a listener after each change; returns what ends that
 */
export function useStore<Value>(subscribe: (listener: () => void) => () => void, read: () => Value): Value {
  const value = read();
  const [, setDrawn] = useState({});
  useEffect(() => {
    const draw = (): void => setDrawn({});
    // It may have changed since this was drawn.
    if (!Object.is(read(), value)) draw();
    return subscribe(draw);
  }, [subscribe]);
  return value;
}
