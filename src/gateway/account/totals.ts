/** Adds up days: the stored sums, with what is not counted in them yet. */
import { decimal } from "../../protocol/amounts.ts";
import { type AccountTransaction, isAboutTransaction } from "../../protocol/events.ts";
import type { DayTotals, PendingTotals } from "../../protocol/totals.ts";
import { isoWithOffset } from "../../protocol/time/zone.ts";
import { fold, tallyWith } from "./fold.ts";
import type { DayMark } from "./storage/days.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountTables } from "./storage/tables.ts";
import { addedBy, closingTime, findBusinessDay, type DayTally, sumTotals } from "./tally.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

interface Wanted {
  /** A null stands for the day on which a completion counts now. */
  day: string | null;
  /** A null stands for all terminals together. */
  deviceId: string | null;
}

export function totals(
  tables: AccountTables,
  { timezone, closedDay, countedEvent }: AccountRecord,
  { day, deviceId }: Wanted,
  now: EpochMs,
): DayTotals {
  const { events, days } = tables;
  const wanted = day ?? findBusinessDay(now, timezone, closedDay);
  if (wanted <= closedDay) {
    const mark = days.find(wanted)?.mark ?? unmarked(days, wanted, timezone);
    return closedTotals(wanted, mark, days.tally(wanted), deviceId);
  }
  const folded = fold(events.after(countedEvent));
  const open = pendingTransactions(tables).filter((one) => deviceId === null || one.deviceId === deviceId);
  return {
    day: wanted,
    timezone,
    closed: false,
    closesAt: isoWithOffset(closingTime(wanted, timezone), timezone),
    deviceId,
    pending: sumPending(open),
    data: sumTotals(tallyWith(days.tally(wanted), folded.days.get(wanted)), deviceId),
  };
}

/** The mark of a closed day without counted events, which was closed in the zone of its time. */
function unmarked(days: AccountTables["days"], day: string, zoneOfNow: string): DayMark {
  const timezone = days.findZone(day) ?? zoneOfNow;
  return { timezone, closesAt: closingTime(day, timezone) };
}

export function closedTotals(
  day: string,
  { timezone, closesAt }: DayMark,
  tally: DayTally,
  deviceId: string | null,
): DayTotals {
  const data = sumTotals(tally, deviceId);
  return { day, timezone, closed: true, closesAt: isoWithOffset(closesAt, timezone), deviceId, pending: null, data };
}

/** Returns the event numbers between which a day's completions are, or null if it has none. */
export function findEventRange(
  { events, days }: AccountTables,
  { closedDay, countedEvent }: AccountRecord,
  day: string,
): { first: number; last: number } | null {
  const kept = days.find(day);
  if (day <= closedDay) return kept === null ? null : { first: kept.firstEvent, last: kept.lastEvent };
  return { first: kept?.firstEvent ?? countedEvent + 1, last: events.newest };
}

function sumPending(open: readonly AccountTransaction[]): PendingTotals {
  const oneCurrency = new Set(open.map(({ currency }) => currency)).size <= 1;
  const sum = open.reduce((before, { transType, transAmt }) => before + (addedBy(transType, transAmt) ?? 0), 0);
  return { count: open.length, transAmt: oneCurrency ? decimal(sum) : null };
}

/** Returns every pending transaction, in the order of their newest events. */
export function pendingTransactions({ claims, events }: AccountTables): AccountTransaction[] {
  return claims.pending().flatMap(({ event }) => {
    const newest = event === null ? null : events.find(event);
    return newest !== null && isAboutTransaction(newest) ? [newest.data] : [];
  });
}
