/**
 * A payment writes nothing for the account's hours: what is not counted yet is read from the events, and the sums are
 * stored every 500 events. Telling D1 the same numbers again changes nothing there (`storage/statistics.ts`).
 */
import { type AccountTransaction, isAboutTransaction } from "../protocol/events.ts";
import type { Paced } from "../objects/untold/receivers.ts";
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
import {
  type CountedDay,
  countInDay,
  dayOf,
  count,
  type Kind,
  type MeasuredTimes,
  type Turnover,
  type Tally,
  tallyAt,
  turnoverOf,
} from "../statistics/tally.ts";
import { packed } from "../storage/fingerprints.ts";
import { FINGERPRINTS_LIFE } from "../storage/limits.ts";
import { type StatisticsNews, statisticsStatements, toldUpTo } from "../storage/statistics.ts";
import { DAY, HOUR } from "../time/units.ts";
import { COUNT_RETRY, TALLY_EVENTS } from "./limits.ts";
import type { KeptEvent } from "./storage/events.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountStores } from "./stores.ts";

type BookStores = Pick<AccountStores, "records" | "events" | "hours">;

interface Completed {
  /** The time that it counts for, epoch milliseconds, and its hour since 1970, UTC. */
  countedAt: number;
  hour: number;
  transaction: AccountTransaction;
  kind: Kind;
  turnover: Turnover | null;
  times: MeasuredTimes;
}

export class StatisticsBook {
  readonly #stores: BookStores;
  /** At least this many completions between these two events are not sent yet. Kept because every turn asks. */
  #unsent = { toldEvent: 0, newest: 0, completed: 0 };
  #retryAt = 0;

  constructor(stores: BookStores) {
    this.#stores = stores;
  }

  /** @param newest the number of the newest event; 0: none is new */
  isLong(newest: number, now: number): boolean {
    const { record } = this.#stores.records;
    return record !== null && newest - record.countedEvent >= TALLY_EVENTS && now >= this.#retryAt;
  }

  /** A failure to store the sums must not hold up recording. */
  failed(now: number): void {
    this.#retryAt = now + COUNT_RETRY;
  }

  keep(now: number): void {
    const { records, events, hours } = this.#stores;
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
    const { record } = this.#stores.records;
    if (record === null) return null;
    const completed = this.#completedUntold(record);
    if (completed === 0) return null;
    const { toldAt, toldNext, status } = record;
    // A last update in the future means that the clock was set back. A deleted account has no later transactions to tell with.
    if (toldAt > now || status === "deleted") return { at: now, alarm: now };
    const quiet = { at: toldNext, alarm: toldNext + (ALARM_AFTER - 1) * SEND_EVERY_QUIET };
    if (completed < BUSY_EVENTS) return quiet;
    const busy = { at: toldAt + SEND_EVERY, alarm: toldAt + ALARM_AFTER * SEND_EVERY };
    return { at: Math.min(busy.at, quiet.at), alarm: Math.min(busy.alarm, quiet.alarm) };
  }

  news(now: number): StatisticsNews {
    const { records, events } = this.#stores;
    const after = records.record?.toldEvent ?? 0;
    const read = events.after(after, TALLY_EVENTS);
    const last = read.length < TALLY_EVENTS ? null : (read.at(-1) ?? null);
    const upTo = last?.number ?? Math.max(events.newest, after);
    const [oldest, oldestDay] = [dayBefore(now, STATISTICS_LIFE), dayBefore(now, ACCOUNT_HOURS_LIFE)];
    const hours = new Map<number, Tally>();
    const payments = new Map<number, string>();
    for (const kept of read) {
      const completed = completedBy(kept);
      if (completed === null || dayOf(completed.hour) < oldest) continue;
      const { countedAt, hour, transaction, kind, times, turnover } = completed;
      count(tallyAt(hours, hour), kind, times, turnover);
      if (dayOf(hour) < dayBefore(now, FINGERPRINTS_LIFE)) continue;
      payments.set(dayOf(hour), (payments.get(dayOf(hour)) ?? "") + packed(transaction, kept.number, countedAt));
    }
    const changed = new Set([...hours.keys()].map(dayOf).filter((day) => day >= oldestDay));
    return { after, upTo, toldAt: last?.at ?? now, hours, days: this.#days(changed), payments, oldestDay };
  }

  /** Both days included, with the events that are not counted yet. */
  days(from: number, to: number): Map<number, CountedDay> {
    const { records, hours } = this.#stores;
    const recent = records.record === null ? [] : [...this.#recent(records.record)];
    return new Map([...hours.between(from, to), ...recent.filter(([day]) => day >= from && day <= to)]);
  }

  /**
   * D1 has the numbers up to event `upTo`.
   *
   * @param wanted the last event that was told. If D1 has another, because it was restored or an earlier telling came
   *   late, the events after that one are told at once.
   */
  told(wanted: number, upTo: number, at: number): void {
    const { records } = this.#stores;
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
    const { events } = this.#stores;
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
    const { records, hours } = this.#stores;
    const recent = records.record === null || wanted.size === 0 ? new Map() : this.#recent(records.record);
    return new Map([...wanted].map((day) => [day, recent.get(day) ?? hours.find(day)]));
  }

  #recent({ countedEvent }: AccountRecord): Map<number, CountedDay> {
    const { events, hours } = this.#stores;
    const recent = new Map<number, CountedDay>();
    for (const kept of events.since(countedEvent)) {
      const completed = completedBy(kept);
      if (completed === null) continue;
      const { hour, kind, turnover } = completed;
      const day = recent.get(dayOf(hour)) ?? hours.find(dayOf(hour));
      countInDay(day, hour, kind, turnover);
      recent.set(dayOf(hour), { ...day, event: kept.number });
    }
    return recent;
  }
}

function completedBy({ event, at, times }: KeptEvent): Completed | null {
  if (!isAboutTransaction(event) || event.type !== "transaction.completed") return null;
  const { statusCode, completedBy: by, transType, responseCode, completedAt, currency, transAmt } = event.data;
  if (statusCode === "22" || by === null || completedAt === null) return null;
  const completed = Date.parse(completedAt);
  const countedAt = countedTime(completed, at);
  return {
    countedAt,
    hour: Math.floor(countedAt / HOUR),
    transaction: event.data,
    kind: { statusCode, completedBy: by, transType, responseCode },
    turnover: turnoverOf({ statusCode, transType, currency, transAmt }),
    times: { ...times, recording: Math.max(at - completed, 0) },
  };
}

/** Since 1970, UTC. */
function dayBefore(now: number, milliseconds: number): number {
  return Math.floor((now - milliseconds) / DAY);
}

/**
 * The time of completion. The time of recording if the transaction was recorded very late, or if this object's clock is
 * behind that of the terminal's object.
 */
function countedTime(completedAt: number, recordedAt: number): number {
  return recordedAt - completedAt <= RECORDED_WITHIN ? Math.min(completedAt, recordedAt) : recordedAt;
}

/** D1 is told from time to time while something happens (`statistics/limits.ts`). */
export function statisticsTelling(
  database: D1Database,
  book: StatisticsBook,
  { records, untold }: Pick<AccountStores, "records" | "untold">,
): Paced {
  return {
    waiting(now) {
      const due = book.due(now);
      return due === null ? null : { notBefore: due.at, wakeAt: due.alarm };
    },
    telling(now) {
      const news = book.news(now);
      const since = now - SEND_EVERY;
      return {
        since,
        statements: statisticsStatements(database, records.posId, news),
        taken: (_after, results) => book.told(news.upTo, toldUpTo(results) ?? news.upTo, now),
        failed: (after) => untold.notTold(since, after),
      };
    },
  };
}
