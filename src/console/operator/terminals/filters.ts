/** Which terminals are shown: the choices of the page as parameters of the list. */
import { MINUTE } from "../../../time/units.ts";
import type { Query } from "../calls.ts";

export const STATES = [
  { value: "", label: "All" },
  { value: "offline", label: "Offline" },
  { value: "connected", label: "Connected" },
  { value: "retired", label: "Retired" },
] as const;

export type TerminalState = (typeof STATES)[number]["value"];

export const BINDINGS = [
  { value: "", label: "All" },
  { value: "true", label: "Bound" },
  { value: "false", label: "Not bound" },
] as const;

/** For how many minutes a terminal has been offline. */
export const OFFLINE_FOR = [
  { value: "", label: "All" },
  { value: "0", label: "Was connected" },
  { value: "15", label: "15 min" },
  { value: "60", label: "1 h" },
  { value: "1440", label: "1 day" },
  { value: "10080", label: "7 days" },
] as const;

export interface TerminalFilter {
  /** The beginning of the id or the name. */
  text: string;
  state: TerminalState;
  /** The merchant whose shop it is in. */
  shop: string;
  boundTo: string;
  bound: (typeof BINDINGS)[number]["value"];
  /** Only of the state `offline`. */
  offlineFor: (typeof OFFLINE_FOR)[number]["value"];
}

export function filterOf(query: Record<string, string>): TerminalFilter {
  const state = STATES.find(({ value }) => value === query["state"])?.value ?? "";
  return {
    text: query["text"] ?? "",
    state,
    shop: query["shop"] ?? "",
    boundTo: query["boundTo"] ?? "",
    bound: BINDINGS.find(({ value }) => value === query["bound"])?.value ?? "",
    offlineFor: OFFLINE_FOR.find(({ value }) => value === query["offlineFor"])?.value ?? "",
  };
}

/** The list's parameters at `now`, epoch milliseconds. The text is the beginning of what `textIs` names. */
export function terminalQuery(
  { text, state, shop, boundTo, bound, offlineFor }: TerminalFilter,
  textIs: "terminalId" | "name",
  now: number,
): Query {
  const isByTime = state === "offline" && offlineFor !== "";
  const states: Record<TerminalState, Query> = {
    "": { status: "enrolled" },
    offline: { status: "enrolled", connected: "false" },
    connected: { status: "enrolled", connected: "true" },
    retired: { status: "retired" },
  };
  return {
    ...states[state],
    [textIs]: text.trim(),
    shop,
    boundTo,
    bound,
    offlineSince: isByTime ? new Date(now - Number(offlineFor) * MINUTE).toISOString() : "",
  };
}

interface Connection {
  terminalId: string;
  connected: boolean;
  offlineSince: string | null;
}

/**
 * Offline terminals first, those offline longest at the top; then those that never connected; then connected ones by
 * id.
 */
export function offlineFirst(one: Connection, other: Connection): number {
  const rank = ({ connected, offlineSince }: Connection): number => (connected ? 2 : offlineSince === null ? 1 : 0);
  return (
    rank(one) - rank(other) ||
    (one.offlineSince ?? "").localeCompare(other.offlineSince ?? "") ||
    one.terminalId.localeCompare(other.terminalId)
  );
}
