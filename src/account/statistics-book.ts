/**
 * What the account's hours add up to. A payment writes nothing for it: what is not counted yet is read from the events,
 * and the sums are stored every 500 events. What D1 gets changes nothing there if it comes again (`storage/statistics.ts`).
 */
import { isAboutTransaction } from "../protocol/events.ts";
import {
  ACCOUNT_HOURS_LIFE,
  ALARM_AFTER,
  BUSY_EVENTS,
  RECORDED_WITHIN,
  SENT_AT_ONCE,
  SEND_EVERY,
  SEND_EVERY_QUIET,
  STATISTICS_LIFE,
} from "../statistics/limits.ts";
import { type CountedDay, countInDay, dayOf } from "../statistics/counted-day.ts";
import { count, type Kind, type MeasuredTimes, type Tally, tallyAt } from "../statistics/tally.ts";
import type { StatisticsNews } from "../storage/statistics.ts";
import { DAY, HOUR } from "../time/units.ts";
import { COUNT_RETRY, TALLY_EVENTS } from "./limits.ts";
import type { Events, KeptEvent } from "./storage/events.ts";
import type { Hours } from "./storage/hours.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";

export interface StatisticsBookParts {
  records: AccountRecordStore;
  events: Events;
  hours: Hours;
}

/** A completed transaction. */
interface Completed {
  /** Of its event. */
  number: number;
  /** In which it counts: since 1970, UTC. */
  hour: number;
  kind: Kind;
  times: MeasuredTimes;
}

export class StatisticsBook {
  readonly #parts: StatisticsBookParts;
  /** At least this many completions between these two events are not sent yet. Kept because every turn asks. */
  #unsent = { toldEvent: 0, newest: 0, completed: 0 };
  #retryAt = 0;

  constructor(parts: StatisticsBookParts) {
    this.#parts = parts;
  }

  /** Whether it is time to store what was counted. @param newest the number of the newest event; 0: none is new */
  isLong(newest: number, now: number): boolean {
    const { record } = this.#parts.records;
    return record !== null && newest - record.countedEvent >= TALLY_EVENTS && now >= this.#retryAt;
  }

  /** Notes that storing failed. The failure must not hold up recording. */
  failed(now: number): void {
    this.#retryAt = now + COUNT_RETRY;
  }

  /** Stores what the events add up to. */
  keep(now: number): void {
    const { records, events, hours } = this.#parts;
    const { record } = records;
    if (record === null || record.countedEvent === events.newest) return;
    hours.save(this.#recent(record));
    hours.removeBefore(dayBefore(now, STATISTICS_LIFE));
    records.update({ countedEvent: events.newest });
  }

  /**
   * When D1 must be updated, epoch milliseconds, possibly in the past; null: it is up to date. `alarm`: when it is
   * updated even if nothing else happens.
   */
  due(now: number): { at: number; alarm: number } | null {
    const { record } = this.#parts.records;
    if (record === null) return null;
    const completed = this.#completedUntold(record);
    if (completed === 0) return null;
    const { toldAt, toldNext } = record;
    // A last update in the future means that the clock was set back.
    if (toldAt > now) return { at: now, alarm: now };
    const quiet = { at: toldNext, alarm: toldNext + (ALARM_AFTER - 1) * SEND_EVERY_QUIET };
    if (completed < BUSY_EVENTS) return quiet;
    const busy = { at: toldAt + SEND_EVERY, alarm: toldAt + ALARM_AFTER * SEND_EVERY };
    return { at: Math.min(busy.at, quiet.at), alarm: Math.min(busy.alarm, quiet.alarm) };
  }

  /** What D1 does not know, of the next events. */
  news(now: number): StatisticsNews {
    const { records, events } = this.#parts;
    const after = records.record?.toldEvent ?? 0;
    const read = events.after(after, TALLY_EVENTS);
    const upTo = read.length < TALLY_EVENTS ? Math.max(events.newest, after) : (read.at(-1)?.number ?? after);
    const [oldest, oldestDay] = [dayBefore(now, STATISTICS_LIFE), dayBefore(now, ACCOUNT_HOURS_LIFE)];
    const hours = new Map<number, Tally>();
    for (const { hour, kind, times } of completedIn(read)) {
      if (dayOf(hour) < oldest) continue;
      count(tallyAt(hours, hour), kind, times);
    }
    const changed = new Set([...hours.keys()].map(dayOf).filter((day) => day >= oldestDay));
    return { after, upTo, hours, days: this.#days(changed), oldestDay };
  }

  /** What the account's days from one to another, both included, add up to, with the events that are not counted yet. */
  days(from: number, to: number): Map<number, CountedDay> {
    const { records, hours } = this.#parts;
    const recent = records.record === null ? [] : [...this.#recent(records.record)];
    return new Map([...hours.between(from, to), ...recent.filter(([day]) => day >= from && day <= to)]);
  }

  /**
   * Notes that D1 has the numbers up to this event.
   *
   * @param wanted up to which event it was told. If it has others, because it was restored or an earlier telling came late,
   *   it is told at once what follows those.
   */
  told(wanted: number, upTo: number, at: number): void {
    const { records } = this.#parts;
    const { record } = records;
    if (record === null) return;
    if (wanted !== upTo) {
      records.update({ toldEvent: upTo });
      return;
    }
    const unused = at - (SENT_AT_ONCE - 1) * SEND_EVERY_QUIET;
    const toldNext = Math.max(Math.min(record.toldNext, at), unused) + SEND_EVERY_QUIET;
    records.update({ toldEvent: upTo, toldAt: at, toldNext });
  }

  #completedUntold({ toldEvent }: AccountRecord): number {
    const { events } = this.#parts;
    const { newest } = events;
    const before = this.#unsent;
    const goesOn = before.toldEvent === toldEvent && before.newest <= newest;
    const [from, counted] = goesOn ? [before.newest, before.completed] : [toldEvent, 0];
    // After a note to D1 nothing is new: no row is read to find that out.
    const completed = counted + (from < newest ? events.completedAfter(from, BUSY_EVENTS) : 0);
    this.#unsent = { toldEvent, newest, completed };
    return completed;
  }

  #days(wanted: ReadonlySet<number>): Map<number, CountedDay> {
    const { records, hours } = this.#parts;
    const recent = records.record === null || wanted.size === 0 ? new Map() : this.#recent(records.record);
    return new Map([...wanted].map((day) => [day, recent.get(day) ?? hours.find(day)]));
  }

  /** The days with the events that are not counted yet. */
  #recent({ countedEvent }: AccountRecord): Map<number, CountedDay> {
    const { events, hours } = this.#parts;
    const recent = new Map<number, CountedDay>();
    for (let from = countedEvent; ;) {
      const read = events.after(from, TALLY_EVENTS);
      for (const { number, hour, kind } of completedIn(read)) {
        const day = recent.get(dayOf(hour)) ?? hours.find(dayOf(hour));
        countInDay(day, hour, kind);
        recent.set(dayOf(hour), { ...day, event: number });
      }
      const last = read.at(-1);
      if (last === undefined || read.length < TALLY_EVENTS) return recent;
      from = last.number;
    }
  }
}

function completedIn(read: readonly KeptEvent[]): Completed[] {
  return read.flatMap((kept) => {
    const { event } = kept;
    if (!isAboutTransaction(event) || event.type !== "transaction.completed") return [];
    const { statusCode, completedBy, transType, responseCode, completedAt } = event.data;
    if (statusCode === "22" || completedBy === null || completedAt === null) return [];
    const completed = Date.parse(completedAt);
    const kind = { statusCode, completedBy, transType, responseCode };
    return [{ number: event.number, hour: hourOf(completed, kept.at), kind, times: measured(kept, completed) }];
  });
}

/** The day (UTC, since 1970) this many milliseconds ago. */
function dayBefore(now: number, milliseconds: number): number {
  return Math.floor((now - milliseconds) / DAY);
}

/**
 * The hour in which a transaction counts: the one in which it completed. It is the hour of recording if it was recorded
 * very late, or if this object's clock is behind that of the terminal's object.
 */
function hourOf(completedAt: number, recordedAt: number): number {
  const isInTime = recordedAt - completedAt <= RECORDED_WITHIN;
  return Math.floor((isInTime ? Math.min(completedAt, recordedAt) : recordedAt) / HOUR);
}

function measured({ times, at }: KeptEvent, completedAt: number): MeasuredTimes {
  return { ...times, recording: Math.max(at - completedAt, 0) };
}
