import { signal } from "@preact/signals";
import { readRoute } from "./route.ts";

/** The place that the page's address names. */
export const route = signal(readRoute(location.hash));

addEventListener("hashchange", () => (route.value = readRoute(location.hash)));

/** Opens a place, so that the browser's Back button returns to this one. */
export function go(fragment: string): void {
  location.hash = fragment;
}

/** Opens a list without its filters; undefined if it has none. `filters`: those that it has now. */
export function clearing(filters: Record<string, string>, link: string): (() => void) | undefined {
  return Object.values(filters).every((value) => value === "") ? undefined : () => go(link);
}
