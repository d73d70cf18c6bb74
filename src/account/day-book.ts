/**
 * A payment writes nothing for the account's days: what is not tallied yet is read from the events on request. The
 * tally is stored every 500 events, so no question reads more than that, however busy the day is.
 */
import { decimal } from "../protocol/amounts.ts";
import { isAboutTransaction, type TransactionEvent } from "../protocol/events.ts";
import type { DayTotals, UnresolvedTotals } from "../protocol/totals.ts";
import { isoWithOffset } from "../time/zone.ts";
import { closingTime, dayAfter, dayOf, dueDay, addedBy, count, type Tally, totalsOf } from "./tally.ts";
import { DAY_RETRY, TALLY_EVENTS } from "./limits.ts";
import type { Day, DayMark, Unresolved } from "./storage/days.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountStores } from "./stores.ts";

type BookStores = Pick<AccountStores, "records" | "events" | "days" | "unresolved">;

/** The events since the last stored tally. */
interface Recent {
  days: Map<string, CountedDay>;
  /** The transactions that are 22 now. */
  opened: Map<number, Unresolved>;
  completed: Set<number>;
}

interface CountedDay extends Pick<Day, "firstEvent" | "lastEvent"> {
  tally: Tally;
}

export class DayBook {
  readonly #stores: BookStores;
  /** Cached: every turn asks, and the answer is the same all day. */
  #closing = { day: "", timezone: "", at: 0 };
  #retryAt = 0;

  constructor(stores: BookStores) {
    this.#stores = stores;
  }

  isDue(now: number): boolean {
    const { record } = this.#stores.records;
    if (record === null || now < this.#retryAt) return false;
    const { closedDay, timezone } = record;
    return closedDay === "" || now >= this.#closesAt(dayAfter(closedDay), timezone);
  }

  /** When the oldest day with a record closes, epoch milliseconds; null: no alarm is needed. */
  nextDeadline(): number | null {
    const { record } = this.#stores.records;
    if (record === null || record.openDay === "") return null;
    return Math.max(this.#closesAt(record.openDay, record.timezone), this.#retryAt);
  }

  /** A failure to close days must not hold up recording. */
  failed(now: number): void {
    this.#retryAt = now + DAY_RETRY;
  }

  /**
   * Closes the days that are due, oldest first. A closed day never changes: nothing more is counted for it, and it
   * never opens again, even if the clock or the time zone changes.
   */
  close(now: number): void {
    const { records, days, events } = this.#stores;
    const { record } = records;
    if (record === null) return;
    const { timezone, closedDay } = record;
    const due = dueDay(now, timezone);
    if (due <= closedDay) return;
    this.tally();
    const open = days.after(closedDay);
    for (const day of open) {
      if (day > due) break;
      const mark = { timezone, closesAt: closingTime(day, timezone) };
      days.close(day, mark);
      events.append(record, { type: "day.closed", data: closedTotals(day, mark, days.tally(day), null) }, now);
    }
    const openDay = open.find((day) => day > due) ?? "";
    records.update({ closedDay: due, openDay, talliedEvent: events.newest });
  }

  tally(): void {
    const { records, days, events, unresolved } = this.#stores;
    const { record } = records;
    if (record === null || record.talliedEvent === events.newest) return;
    const recent = this.#recent(record);
    for (const [day, { tally, ...range }] of recent.days) days.save(day, range, tally);
    for (const { requestId } of unresolved.all()) if (recent.completed.has(requestId)) unresolved.remove(requestId);
    for (const open of recent.opened.values()) unresolved.save(open);
    records.update({ talliedEvent: events.newest });
  }

  /** It is time to store the tally. @param newest the number of the newest event */
  isLong(newest: number): boolean {
    return newest - (this.#stores.records.record?.talliedEvent ?? newest) >= TALLY_EVENTS;
  }

  /**
   * @param day null: the day that a completion counts for now
   * @param deviceId null: all terminals together
   */
  totals(record: AccountRecord, day: string | null, deviceId: string | null, now: number): DayTotals {
    const { days } = this.#stores;
    const { timezone, closedDay } = record;
    const wanted = day ?? dayOf(now, timezone, closedDay);
    if (wanted <= closedDay) {
      return closedTotals(
        wanted,
        days.find(wanted)?.mark ?? this.#unmarked(wanted, timezone),
        days.tally(wanted),
        deviceId,
      );
    }
    const recent = this.#recent(record);
    return {
      day: wanted,
      timezone,
      closed: false,
      closesAt: isoWithOffset(closingTime(wanted, timezone), timezone),
      deviceId,
      unresolved: sumOf(this.#unresolvedBy(recent).filter((open) => deviceId === null || open.deviceId === deviceId)),
      data: totalsOf(recent.days.get(wanted)?.tally ?? days.tally(wanted), deviceId),
    };
  }

  /** A closed day without counted events: it was closed in the zone of its time. */
  #unmarked(day: string, zoneOfNow: string): DayMark {
    const timezone = this.#stores.days.zoneOf(day) ?? zoneOfNow;
    return { timezone, closesAt: closingTime(day, timezone) };
  }

  /** The event numbers between which a day's completions are; null: none. */
  rangeOf({ closedDay, talliedEvent }: AccountRecord, day: string): { first: number; last: number } | null {
    const kept = this.#stores.days.find(day);
    if (day <= closedDay) return kept === null ? null : { first: kept.firstEvent, last: kept.lastEvent };
    return { first: kept?.firstEvent ?? talliedEvent + 1, last: this.#stores.events.newest };
  }

  unresolved(record: AccountRecord): Unresolved[] {
    return this.#unresolvedBy(this.#recent(record));
  }

  #unresolvedBy({ opened, completed }: Recent): Unresolved[] {
    const kept = this.#stores.unresolved
      .all()
      .filter(({ requestId }) => !opened.has(requestId) && !completed.has(requestId));
    return [...kept, ...opened.values()];
  }

  #recent({ talliedEvent }: AccountRecord): Recent {
    const { days, events } = this.#stores;
    const recent: Recent = { days: new Map(), opened: new Map(), completed: new Set() };
    for (const { event } of events.since(talliedEvent)) {
      if (!isAboutTransaction(event)) continue;
      const { number, data } = event;
      if (event.type === "transaction.completed" && data.day !== null) {
        const known = recent.days.get(data.day) ?? {
          firstEvent: days.find(data.day)?.firstEvent ?? number,
          tally: days.tally(data.day),
        };
        count(known.tally, data);
        recent.days.set(data.day, { ...known, lastEvent: number });
      }
      noteStatus(recent, event);
    }
    return recent;
  }

  #closesAt(day: string, timezone: string): number {
    if (this.#closing.day !== day || this.#closing.timezone !== timezone) {
      this.#closing = { day, timezone, at: closingTime(day, timezone) };
    }
    return this.#closing.at;
  }
}

function noteStatus({ opened, completed }: Recent, { number, data }: TransactionEvent): void {
  const { deviceId, currency, completedAt, transType } = data;
  const requestId = Number(data.requestId);
  if (completedAt === null) {
    const transAmt = addedBy(transType, data.transAmt);
    opened.set(requestId, { requestId, event: number, deviceId, currency, transAmt });
  } else {
    opened.delete(requestId);
    completed.add(requestId);
  }
}

function sumOf(open: readonly Unresolved[]): UnresolvedTotals {
  const oneCurrency = new Set(open.map(({ currency }) => currency)).size <= 1;
  const sum = open.reduce((before, { transAmt }) => before + (transAmt ?? 0), 0);
  return { count: open.length, transAmt: oneCurrency ? decimal(sum) : null };
}

function closedTotals(day: string, { timezone, closesAt }: DayMark, tally: Tally, deviceId: string | null): DayTotals {
  const data = totalsOf(tally, deviceId);
  return { day, timezone, closed: true, closesAt: isoWithOffset(closesAt, timezone), deviceId, unresolved: null, data };
}
