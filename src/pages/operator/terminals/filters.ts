import { TERMINAL_FILTERS } from "../../../protocol/operator-filters.ts";
import { MINUTE, type EpochMs } from "../../../protocol/time/units.ts";
import type { CallQuery } from "../operator-calls.ts";
import { readTexts, type PlaceQuery } from "../route.ts";

const STATES: Record<string, CallQuery> = {
  "": { status: "enrolled" },
  offline: { status: "enrolled", connected: "false" },
  connected: { status: "enrolled", connected: "true" },
  retired: { status: "retired" },
};

/** The choices in minutes. */
export const OFFLINE_FOR = {
  0: "Was connected",
  15: "15 min",
  60: "1 h",
  1440: "1 day",
  10080: "7 days",
};

/** Any other value in the address counts as none. */
const CHOICES = {
  state: Object.keys(STATES),
  offlineFor: Object.keys(OFFLINE_FOR),
  bound: Object.keys(TERMINAL_FILTERS.bound.field.options),
};

const NAMES = Object.entries(TERMINAL_FILTERS).flatMap(([name, filter]) => ("field" in filter ? [name] : []));

/** `text` is the beginning of the id or the name; `offlineFor` counts only with the state `offline`. */
export type TerminalFilter = Record<"text" | keyof typeof CHOICES, string> & PlaceQuery;

export function readFilter(query: PlaceQuery): TerminalFilter {
  const chosen = Object.entries(CHOICES).map(([name, values]) => [name, values.find((value) => value === query[name])]);
  const named = { ...query, ...Object.fromEntries(chosen) };
  return Object.assign(readTexts(named, NAMES), readTexts(named, ["text", "state", "offlineFor", "bound"]));
}

export function filterQuery({ text, state, ...declared }: TerminalFilter): CallQuery {
  return { ...STATES[state], ...declared, offlineFor: "", terminalId: text.trim() };
}

/** The part of the query that depends on the time. */
export function offlineQuery({ state, offlineFor }: TerminalFilter, now: EpochMs): CallQuery {
  const isByTime = state === "offline" && offlineFor !== "";
  return { offlineSince: isByTime ? new Date(now - Number(offlineFor) * MINUTE).toISOString() : "" };
}

interface Connection {
  terminalId: string;
  connected: boolean;
  offlineSince: string | null;
}

/**
 * Sorts offline terminals first, those offline longest at the top; then terminals that never connected; then connected
 * ones by id.
 */
export function offlineFirst(one: Connection, other: Connection): number {
  const rank = ({ connected, offlineSince }: Connection): number => (connected ? 2 : offlineSince === null ? 1 : 0);
  return (
    rank(one) - rank(other) ||
    (one.offlineSince ?? "").localeCompare(other.offlineSince ?? "") ||
    one.terminalId.localeCompare(other.terminalId)
  );
}
