import { signal } from "@preact/signals";
import { linkTo, readRoute } from "./route.ts";

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

/**
 * The open place as a list with these filters.
 *
 * @param filters those of `values` that `clear` counts; all of them by default
 */
export function placeOf<Name extends string>(
  values: Record<Name, string>,
  filters: readonly string[] = Object.values(values),
): Place<Name> {
  const { section, ids } = route.value;
  const open = (query: Partial<Record<Name, string>>): void => go(linkTo(section, ids, query));
  return {
    values,
    show: (change) => open({ ...values, ...change }),
    clear: filters.every((value) => value === "") ? undefined : () => open({}),
  };
}
