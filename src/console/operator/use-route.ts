import { useEffect, useState } from "hono/jsx/dom";
import { readRoute } from "./route.ts";
import type { Route } from "./route.ts";

/** Where the page is, as its address says. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(readRoute(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}

/** Goes there, so that the browser's Back comes back. */
export function go(fragment: string): void {
  location.hash = fragment;
}
