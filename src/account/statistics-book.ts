/**
 * What the account's hours add up to. A payment writes nothing for it: what is not counted yet is read from the events,
 * and the sums are stored every 500 events. D1 gets absolute numbers for each hour that has changed, so sending them
 * again changes nothing.
 */
import { isAboutTransaction } from "../protocol/events.ts";
import {
  ALARM_AFTER,
  BUSY_EVENTS,
  HOURS_LIFE,
  HOURS_A_NOTE,
  RECORDED_WITHIN,
  SENT_AT_ONCE,
  SEND_EVERY,
  SEND_EVERY_QUIET,
  SENT_WITHIN,
} from "../statistics/limits.ts";
import { count, type MeasuredTimes } from "../statistics/tally.ts";
import { HOUR } from "../time/units.ts";
import { COUNT_RETRY, TALLY_EVENTS } from "./limits.ts";
import type { Events, KeptEvent } from "./storage/events.ts";
import type { CountedHour, Hours } from "./storage/hours.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";

export interface StatisticsBookParts {
  records: AccountRecordStore;
  events: Events;
  hours: Hours;
}

/** What is sent to D1. */
export interface HoursNews {
  /** By hours since 1970, UTC: each with everything that it adds up to. */
  hours: Map<number, CountedHour>;
  /** With these numbers, D1 has every event up to this one. */
  upTo: number;
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
    hours.removeBefore(Math.floor((now - HOURS_LIFE) / HOUR));
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

  /** What D1 does not know. */
  news(now: number): HoursNews {
    const { records, events, hours } = this.#parts;
    const { record } = records;
    if (record === null) return { hours: new Map(), upTo: 0 };
    const { toldEvent } = record;
    const oldest = (now - SENT_WITHIN) / HOUR;
    const changed = [...hours.changedAfter(toldEvent), ...this.#recent(record)];
    // Of two entries for the same hour, the later one has counted more.
    const news = [...new Map(changed)]
      .filter(([hour, { event }]) => event > toldEvent && hour >= oldest)
      .toSorted(([, one], [, other]) => one.event - other.event);
    const next = news[HOURS_A_NOTE];
    const upTo = next === undefined ? events.newest : next[1].event - 1;
    return { hours: new Map(news.slice(0, HOURS_A_NOTE)), upTo };
  }

  /** Notes that D1 has the numbers up to this event. */
  told(upTo: number, at: number): void {
    const { records } = this.#parts;
    const { record } = records;
    if (record === null) return;
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

  /** The hours with the events that are not counted yet. */
  #recent({ countedEvent }: AccountRecord): Map<number, CountedHour> {
    const { events, hours } = this.#parts;
    const recent = new Map<number, CountedHour>();
    for (let from = countedEvent; ;) {
      const read = events.after(from, TALLY_EVENTS);
      for (const kept of read) {
        const { event } = kept;
        if (!isAboutTransaction(event) || event.type !== "transaction.completed") continue;
        const { statusCode, completedBy, transType, responseCode, completedAt } = event.data;
        if (statusCode === "22" || completedBy === null || completedAt === null) continue;
        const completed = Date.parse(completedAt);
        const hour = hourOf(completed, kept.at);
        const { tally } = recent.get(hour) ?? hours.find(hour);
        count(tally, { statusCode, completedBy, transType, responseCode }, measured(kept, completed));
        recent.set(hour, { event: event.number, tally });
      }
      const last = read.at(-1);
      if (last === undefined || read.length < TALLY_EVENTS) return recent;
      from = last.number;
    }
  }
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
