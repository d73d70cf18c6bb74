/**
 * A payment writes nothing for the account's sums: what is not counted yet is read from the events on request. All sums
 * are stored together, every 500 events and when a day closes, so no question reads many more events than that.
 */
import type { Schedule, Turns } from "../durable/turns.ts";
import { logError } from "../lib/log.ts";
import { dayBefore, fold, type Folded, hoursWith, tallyWith } from "./fold.ts";
import type { Day } from "./storage/days.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountTables } from "./storage/tables.ts";
import { closingTime, dayAfter, dueDay } from "./tally.ts";
import { closedTotals } from "./totals.ts";
import { SECOND, type EpochMs } from "../../protocol/time/units.ts";
import { STATISTICS_LIFE } from "../statistics/tally.ts";

/** The sums are stored after this many events: some rows per 500 payments, and no question reads many more events. */
export const TALLY_EVENTS = 500;

/** Another attempt to store the sums, or to close a day, follows after this time. */
const SUMS_RETRY = 5 * SECOND;

export class Sums implements Schedule {
  readonly #tables: AccountTables;
  #retryAt = 0;

  constructor(tables: AccountTables) {
    this.#tables = tables;
  }

  /** Whether a day must be closed, or many events are not counted. */
  isDue({ closesAt, countedEvent }: AccountRecord, now: EpochMs): boolean {
    if (now < this.#retryAt) return false;
    return now >= closesAt || this.#tables.events.newest - countedEvent >= TALLY_EVENTS;
  }

  hasChanged(): boolean {
    const { records, events } = this.#tables;
    return records.isChanged || events.isChanged;
  }

  /** Returns when the oldest open day closes, or null if nothing was recorded since the last closed day. */
  startDue(): number | null {
    const { records, events, days } = this.#tables;
    const { record } = records;
    if (record === null) return null;
    const { closedDay, closesAt, countedEvent } = record;
    return events.newest > countedEvent || days.hasAfter(closedDay) ? Math.max(closesAt, this.#retryAt) : null;
  }

  /**
   * Called before anything is shown. It takes a turn of its own, which may fail: sums can wait, while a payment cannot.
   */
  keep(turns: Pick<Turns, "take">): void {
    const { record } = this.#tables.records;
    if (record === null || !this.isDue(record, Date.now())) return;
    try {
      turns.take((now) => this.store(record, now));
    } catch (error) {
      this.#retryAt = Date.now() + SUMS_RETRY;
      logError("days_not_stored", error, { account: record.posId });
    }
  }

  /** Called first in a turn that records something. The turn continues if this fails. */
  keepWithin(turns: Pick<Turns, "tryWithin">, now: EpochMs): void {
    const { record } = this.#tables.records;
    if (record === null || !this.isDue(record, now)) return;
    if (turns.tryWithin("days_not_stored", () => this.store(record, now), { account: record.posId })) return;
    this.#retryAt = now + SUMS_RETRY;
    this.#tables.events.forget();
  }

  /** Stores the sums, and closes the days that are due. */
  store(record: AccountRecord, now: EpochMs): void {
    const { records, events } = this.#tables;
    const folded = fold(events.after(record.countedEvent));
    const due = dueDay(now, record.timezone);
    const closedDay = due > record.closedDay ? due : record.closedDay;
    this.#storeDays(record, folded, closedDay, now);
    this.#storeHours(folded, now);
    const closesAt = closingTime(dayAfter(closedDay), record.timezone);
    records.update({ closedDay, closesAt, countedEvent: events.newest });
  }

  /**
   * Stores the days, the oldest first. A closed day never changes: nothing more is counted for it, and it never opens
   * again, even if the clock or the time zone changes.
   *
   * @param closedDay days up to this one are closed
   */
  #storeDays(record: AccountRecord, folded: Folded, closedDay: string, now: EpochMs): void {
    const { events, days } = this.#tables;
    const { timezone } = record;
    for (const { day, ...range } of openDays(days.after(record.closedDay), folded)) {
      const completed = folded.days.get(day);
      const mark = day > closedDay ? null : { timezone, closesAt: closingTime(day, timezone) };
      if (completed === undefined && mark === null) continue;
      const tally = tallyWith(days.tally(day), completed);
      days.save({ day, ...range, mark }, tally);
      if (mark === null) continue;
      events.append(record, { type: "day.closed", data: closedTotals(day, mark, tally, null) }, now);
    }
  }

  #storeHours({ utcDays }: Folded, now: EpochMs): void {
    const { hours } = this.#tables;
    for (const [day, completed] of utcDays) hours.save(day, hoursWith(hours.find(day), completed));
    hours.removeBefore(dayBefore(now, STATISTICS_LIFE));
  }
}

/** Returns the open days with what is completed on them since, the oldest first. */
function openDays(kept: readonly Day[], { days }: Folded): Day[] {
  const open = new Map(kept.map((day) => [day.day, day]));
  for (const { day, number } of [...days.values()].flat()) {
    open.set(day, { firstEvent: number, mark: null, ...open.get(day), day, lastEvent: number });
  }
  return [...open.values()].toSorted((one, other) => (one.day < other.day ? -1 : 1));
}
