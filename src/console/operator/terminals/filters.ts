/** Which terminals are shown: the choices of the page as parameters of the list. */
import type { Query } from "../calls.ts";

export const STATES = [
  { value: "", label: "All" },
  { value: "offline", label: "Offline" },
  { value: "connected", label: "Connected" },
  { value: "retired", label: "Retired" },
] as const;

export type TerminalState = (typeof STATES)[number]["value"];

export interface TerminalFilter {
  /** The beginning of the id or the name. */
  text: string;
  state: TerminalState;
  merchantId: string;
  boundTo: string;
}

export function filterOf(query: Record<string, string>): TerminalFilter {
  const state = STATES.find(({ value }) => value === query["state"])?.value ?? "";
  return {
    text: query["text"] ?? "",
    state,
    merchantId: query["merchantId"] ?? "",
    boundTo: query["boundTo"] ?? "",
  };
}

/** The list's parameters. The text is the beginning of what `textIs` names. */
export function terminalQuery(
  { text, state, merchantId, boundTo }: TerminalFilter,
  textIs: "terminalId" | "name",
): Query {
  const states: Record<TerminalState, Query> = {
    "": { status: "enrolled" },
    offline: { status: "enrolled", connected: "false" },
    connected: { status: "enrolled", connected: "true" },
    retired: { status: "retired" },
  };
  return { ...states[state], [textIs]: text.trim(), merchantId, boundTo };
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
