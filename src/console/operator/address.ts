import { signal } from "@preact/signals";
import { readRoute } from "./route.ts";

/** The place that the page's address names. */
export const route = signal(readRoute(location.hash));

addEventListener("hashchange", () => (route.value = readRoute(location.hash)));

/** Opens a place, so that the browser's Back button returns to this one. */
export function go(fragment: string): void {
  location.hash = fragment;
}

/** A list that its address filters. */
export interface Place<Name extends string = string> {
  /** By what it is filtered now; empty: not by this. */
  values: Record<Name, string>;
  /** Opens it with these changes. */
  show: (change: Partial<Record<Name, string>>) => void;
  /** Opens it without any filter; undefined if it has none. */
  clear: (() => void) | undefined;
}

/** @param filters those of `values` that `clear` counts; all of them by default */
export function placeOf<Name extends string>(
  link: (query: NoInfer<Partial<Record<Name, string>>>) => string,
  values: Record<Name, string>,
  filters: readonly string[] = Object.values(values),
): Place<Name> {
  return {
    values,
    show: (change) => go(link({ ...values, ...change })),
    clear: filters.every((value) => value === "") ? undefined : () => go(link({})),
  };
}
