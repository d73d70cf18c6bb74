/** The period of statistics, and what they are grouped by. */
import { STATISTICS_BY, type StatisticsBy } from "../../../protocol/statistics.ts";
import type { Query } from "../calls.ts";

export const BY = [
  { value: "account", label: "Account" },
  { value: "hour", label: "Hour" },
  { value: "day", label: "Day" },
  { value: "responseCode", label: "Reason" },
] as const satisfies { value: StatisticsBy; label: string }[];

export const RANGES = [
  { value: "1", label: "This hour" },
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
] as const;

export interface StatisticsFilter {
  by: StatisticsBy;
  /** Hours back from now; empty if `from` and `to` are set. */
  hours: string;
  from: string;
  to: string;
  posId: string;
}

export function statisticsFilter(query: Record<string, string>): StatisticsFilter {
  const by = STATISTICS_BY.find((known) => known === query["by"]) ?? "account";
  const { from = "", to = "", posId = "" } = query;
  const known = RANGES.find(({ value }) => value === query["hours"])?.value;
  return { by, hours: from === "" ? (known ?? "24") : "", from, to, posId };
}

const HOUR = 3_600_000;

/** The call's parameters at `now`, epoch milliseconds. */
export function statisticsQuery({ by, hours, from, to, posId }: StatisticsFilter, now: number): Query {
  if (from !== "") return { by, from, to, posId };
  // The current hour counts as one.
  const begin = Math.floor(now / HOUR) * HOUR - (Number(hours) - 1) * HOUR;
  return { by, from: new Date(begin).toISOString(), posId };
}

/** The filter of one hour, as a link to its accounts. */
export function oneHour(hour: string): Record<string, string> {
  return { by: "account", from: hour, to: new Date(Date.parse(hour) + HOUR).toISOString() };
}
