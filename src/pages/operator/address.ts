import { signal } from "@preact/signals";
import { linkTo, readRoute } from "./route.ts";

export const route = signal(readRoute(location.hash));

addEventListener("hashchange", () => (route.value = readRoute(location.hash)));

/** The browser's Back button returns to the present place. */
export function go(fragment: string): void {
  location.hash = fragment;
}

/** Goes to a place that takes the present one's in the history: Back leaves both. */
export function goInstead(fragment: string): void {
  location.replace(fragment);
}

export interface Place<Name extends string = string> {
  /** An empty value means that the list is not filtered by this name. */
  values: Record<Name, string>;
  show: (change: Partial<Record<Name, string>>) => void;
  /** It is undefined without a filter. */
  clear: (() => void) | undefined;
}

/** @param filters the values that `clear` counts as filters; all by default */
export function makePlace<Name extends string>(
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
