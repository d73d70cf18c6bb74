import { useEffect, useState } from "hono/jsx/dom";

/** What a store holds now; the component is drawn again when that changes. */
export function useStore<State>(store: { subscribe: (listener: () => void) => () => void; state: () => State }): State {
  const [, redraw] = useState({});
  useEffect(() => {
    // Between the drawing and this effect something may have changed already.
    redraw({});
    return store.subscribe(() => redraw({}));
  }, [store]);
  return store.state();
}
