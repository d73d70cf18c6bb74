/** A path and a query in the address's fragment, which browsers do not send. */
import { formatQuery, type CallQuery } from "./operator-calls.ts";

/** A section without a label is opened from others; `of` is the one that it belongs to. */
export const SECTIONS = [
  { name: "overview", label: "Overview", of: "overview" },
  { name: "payments", label: "Payments", of: "payments" },
  { name: "terminals", label: "Terminals", of: "terminals" },
  { name: "accounts", label: "Accounts", of: "accounts" },
  { name: "statistics", label: "Statistics", of: "statistics" },
  { name: "audit", label: "Audit log", of: "audit" },
  { name: "shops", label: "Setup", of: "shops" },
  { name: "pending", label: null, of: "payments" },
  { name: "channels", label: null, of: "shops" },
  { name: "find", label: null, of: "find" },
] as const;

export type SectionName = (typeof SECTIONS)[number]["name"];

export type PlaceQuery = Record<string, string>;

export interface Route {
  section: SectionName;
  /** What the section shows: a terminalId, a posId, or a terminal and a transaction's number. */
  ids: string[];
  query: PlaceQuery;
}

/** Reads a fragment such as `#/terminals/T-1?from=…`. An unknown one means the overview. */
export function readRoute(fragment: string): Route {
  const [path = "", search = ""] = fragment.replace(/^#\/?/u, "").split("?", 2);
  const [name, ...ids] = path.split("/").map(decoded);
  const section = SECTIONS.find((known) => known.name === name)?.name;
  if (section === undefined) return { section: "overview", ids: [], query: {} };
  return { section, ids: ids.filter((id) => id !== ""), query: Object.fromEntries(new URLSearchParams(search)) };
}

/** Empty for a missing name. */
export function readTexts<Name extends string>(query: PlaceQuery, names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, query[name] ?? ""])) as Record<Name, string>;
}

/** Undefined and empty members of the query are omitted. */
export function linkTo(section: SectionName, ids: readonly string[] = [], query: CallQuery = {}): string {
  return `#/${[section, ...ids].map(encodeURIComponent).join("/")}${formatQuery(query)}`;
}

export function paymentLink(terminalId: string, requestId: string): string {
  return linkTo("payments", [terminalId, requestId]);
}

export function terminalLink(terminalId: string): string {
  return linkTo("terminals", [terminalId]);
}

export function accountLink(posId: string): string {
  return linkTo("accounts", [posId]);
}

/** The page of what a row of the audit log is about; undefined without one. */
export function auditedLink({ action, target }: { action: string; target: string }): string | undefined {
  if (/^(?:(?:account|webhook|prebind)\.|transaction\.close$)/u.test(action)) return accountLink(target);
  return /^(?:terminal|transaction)\./u.test(action) ? terminalLink(target) : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
