/** The place within the page: a path and a query in the address's fragment, which browsers do not send. */

export const SECTIONS = [
  { name: "overview", label: "Overview" },
  { name: "terminals", label: "Terminals" },
  { name: "accounts", label: "Accounts" },
  { name: "shops", label: "Shops" },
  { name: "payments", label: "Payments" },
  { name: "unresolved", label: "Unresolved" },
  { name: "statistics", label: "Statistics" },
  { name: "channels", label: "Channels" },
  { name: "enrol", label: "Enrol" },
  { name: "audit", label: "Audit log" },
] as const;

export type SectionName = (typeof SECTIONS)[number]["name"];

export interface Route {
  section: SectionName;
  /** What is open in the section: a terminalId, a posId, or a terminal and a transaction's number. */
  ids: string[];
  query: Record<string, string>;
}

/** Reads a fragment such as `#/terminals/T-1?from=…`. An unknown fragment means the overview. */
export function readRoute(fragment: string): Route {
  const [path = "", search = ""] = fragment.replace(/^#\/?/u, "").split("?", 2);
  const [name, ...ids] = path.split("/").map(decoded);
  const section = SECTIONS.find((known) => known.name === name)?.name;
  if (section === undefined) return { section: "overview", ids: [], query: {} };
  return { section, ids: ids.filter((id) => id !== ""), query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The fragment of a place. Undefined and empty members of the query are omitted. */
export function linkTo(
  section: SectionName,
  ids: readonly string[] = [],
  query: Record<string, string | undefined> = {},
): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? "") !== "");
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return `#/${[section, ...ids].map(encodeURIComponent).join("/")}${search}`;
}

/** The link to one payment in the journal of its terminal. */
export function paymentLink(terminalId: string, requestId: string): string {
  return linkTo("payments", [terminalId, requestId]);
}

export function terminalLink(terminalId: string): string {
  return linkTo("terminals", [terminalId]);
}

export function accountLink(posId: string): string {
  return linkTo("accounts", [posId]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
