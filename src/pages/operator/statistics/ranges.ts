import type { Incident, StatisticsRow } from "../answers.ts";
import { STATISTICS_BY, type StatisticsBy } from "../../../protocol/statistics.ts";
import { DAY, HOUR, MINUTE, type EpochMs } from "../../../protocol/time/units.ts";
import { nextMidnight, offsetAt } from "../../../protocol/time/zone.ts";
import type { CallQuery } from "../operator-calls.ts";
import { linkTo } from "../route.ts";

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

/** Of whole days, of which the present one is the last. */
export const DAY_RANGES = [
  { value: "24", label: "Today" },
  { value: "168", label: "7 days" },
] as const;

export interface StatisticsFilter {
  by: StatisticsBy;
  /** Hours back from now; empty if `from` or `to` is set. Without `from`, the gateway takes the day before `to`. */
  hours: string;
  from: string;
  to: string;
  posId: string;
  /** A merchant's id. If it is empty, all count. */
  shop: string;
  /** Only transactions with this response code count, by account. If it is empty, all do. */
  code: string;
}

export function statisticsFilter(query: Record<string, string>): StatisticsFilter {
  const by = STATISTICS_BY.find((known) => known === query["by"]) ?? "account";
  const { from = "", to = "", posId = "", shop = "", code = "" } = query;
  const known = RANGES.find(({ value }) => value === query["hours"])?.value;
  return { by, hours: from === "" && to === "" ? (known ?? "24") : "", from, to, posId, shop, code };
}

export function rangeQuery({ by, hours, from, to, posId, shop }: StatisticsFilter, now: EpochMs): CallQuery {
  if (from !== "" || to !== "") return { by, from, to, posId, shop };
  const days = Math.max(1, Number(hours) / HOURS_A_DAY);
  return {
    by,
    from: by === "day" ? new Date(now - (days - 1) * DAY).toISOString() : lastHours(Number(hours), now),
    posId,
    shop,
  };
}

/** Writes the one span of "24 hours" everywhere: whole hours, of which the current one is the last. */
export function lastHours(hours: number, now: EpochMs): string {
  return new Date((Math.floor(now / HOUR) - hours + 1) * HOUR).toISOString();
}

const HOURS_A_DAY = 24;

export function oneHour(hour: string): Record<string, string> {
  return { by: "account", from: hour, to: new Date(Date.parse(hour) + HOUR).toISOString() };
}

/** @param day such as `2026-11-20`, in the zone */
export function oneDay(day: string, zone: string): Record<string, string> {
  const noon = Date.parse(`${day}T12:00:00Z`);
  const from = nextMidnight(noon - offsetAt(noon, zone) * MINUTE - DAY, zone);
  return { by: "account", from: new Date(from).toISOString(), to: new Date(nextMidnight(from, zone)).toISOString() };
}

export function sumCounts({ responseCodes }: Pick<StatisticsRow, "responseCodes">, code: string): number {
  return responseCodes.filter(({ responseCode }) => responseCode === code).reduce((sum, { count }) => sum + count, 0);
}

export function reasonLink(code: string, period: CallQuery): string {
  return linkTo("statistics", [], { by: "account", ...period, code });
}

export function hourLink({ hour }: { hour: string }): string {
  return linkTo("statistics", [], oneHour(hour));
}

export function incidentLink({ kind, posId, merchantId }: Incident): string {
  switch (kind) {
    case "conflict":
      return linkTo("pending", [], { conflict: "true" });
    case "pending":
      return linkTo("pending");
    case "offline":
      // Terminals without a merchant have no account either.
      return linkTo("terminals", [], {
        state: "offline",
        offlineFor: "0",
        ...(merchantId === null ? { bound: "false" } : { shop: merchantId }),
      });
    case "webhook":
      return linkTo("accounts", posId === null ? [] : [posId]);
    case "cut":
      return linkTo("overview");
    case "outbox":
      return linkTo("audit");
  }
}
