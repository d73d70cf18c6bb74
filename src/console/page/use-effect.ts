import { useLayoutEffect } from "hono/jsx/dom";

/**
 * Runs an effect in the first frame after its part of the page is drawn, and cleans up before the next one and when the
 * part is removed. An effect whose part is removed before that frame, or whose inputs change, never runs.
 *
 * Hono would run it all the same, and twice if its part is drawn twice before the frame. It cleans up neither: a removed
 * part would keep polling.
 */
export function useEffect(effect: () => void | (() => void), inputs: readonly unknown[]): void {
  useLayoutEffect(() => {
    let cleanUp: void | (() => void);
    const frame = requestAnimationFrame(() => void (cleanUp = effect()));
    return () => {
      cancelAnimationFrame(frame);
      cleanUp?.();
    };
  }, inputs);
}
