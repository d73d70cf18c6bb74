import { useLayoutEffect } from "hono/jsx/dom";
import { useState } from "../page/use-state.ts";
import { readRoute } from "./route.ts";
import type { Route } from "./route.ts";

/** The place that the page's address names. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  // At once, not in the next frame: the address may change before that.
  useLayoutEffect(() => {
    const follow = (): void => setRoute(readRoute(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}

/** Opens a place, so that the browser's Back button returns to this one. */
export function go(fragment: string): void {
  location.hash = fragment;
}

/** Opens a list without its filters; undefined if it has none. `filters`: those that it has now. */
export function clearing(filters: Record<string, string>, link: string): (() => void) | undefined {
  return Object.values(filters).every((value) => value === "") ? undefined : () => go(link);
}
