/**
 * What D1 knows of an account's hours. It is told from time to time while something happens (`statistics/limits.ts`);
 * telling it the same numbers again changes nothing there (`storage/statistics.ts`).
 */
import type { Paced } from "../objects/untold/receivers.ts";
import type { Waiting } from "../objects/untold/teller.ts";
import {
  ACCOUNT_HOURS_LIFE,
  ALARM_AFTER,
  BUSY_EVENTS,
  SENT_AT_ONCE,
  SEND_EVERY,
  SEND_EVERY_QUIET,
  STATISTICS_LIFE,
} from "../statistics/limits.ts";
import { type CountedDay, count, type Tally, tallyAt } from "../statistics/tally.ts";
import { packed } from "../storage/fingerprints.ts";
import { FINGERPRINTS_LIFE } from "../storage/limits.ts";
import { type StatisticsNews, statisticsStatements, toldUpTo } from "../storage/statistics.ts";
import { DAY } from "../time/units.ts";
import { fold, hoursWith } from "./fold.ts";
import { TALLY_EVENTS } from "./limits.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountStores } from "./stores.ts";

type StatisticsStores = Pick<AccountStores, "records" | "events" | "hours">;

export class Statistics {
  readonly #stores: StatisticsStores;

  constructor(stores: StatisticsStores) {
    this.#stores = stores;
  }

  /** When D1 must be updated, possibly in the past; null: it is up to date. */
  waiting(now: number): Waiting | null {
    const { record } = this.#stores.records;
    if (record === null) return null;
    const completed = this.#stores.events.completedAfter(record.toldEvent, BUSY_EVENTS);
    if (completed === 0) return null;
    const { toldAt, toldNext, status } = record;
    // A last update in the future means that the clock was set back. A deleted account has no later transactions to tell with.
    if (toldAt > now || status === "deleted") return { notBefore: now, wakeAt: now };
    const quiet = { notBefore: toldNext, wakeAt: toldNext + (ALARM_AFTER - 1) * SEND_EVERY_QUIET };
    if (completed < BUSY_EVENTS) return quiet;
    const busy = { notBefore: toldAt + SEND_EVERY, wakeAt: toldAt + ALARM_AFTER * SEND_EVERY };
    return {
      notBefore: Math.min(busy.notBefore, quiet.notBefore),
      wakeAt: Math.min(busy.wakeAt, quiet.wakeAt),
    };
  }

  news(now: number): StatisticsNews {
    const { events, hours } = this.#stores;
    const { toldEvent, countedEvent } = this.#marks;
    const read = events.after(toldEvent, TALLY_EVENTS);
    const last = read.length < TALLY_EVENTS ? null : (read.at(-1) ?? null);
    const [untold, uncounted] = [fold(read).utcDays, fold(events.after(countedEvent)).utcDays];
    const within = (life: number) => [...untold].filter(([day]) => day >= dayBefore(now, life));
    const ofService = new Map<number, Tally>();
    for (const { hour, kind, times, turnover } of within(STATISTICS_LIFE).flatMap(([, completed]) => completed)) {
      count(tallyAt(ofService, hour), kind, times, turnover);
    }
    return {
      after: toldEvent,
      upTo: last?.number ?? Math.max(events.newest, toldEvent),
      toldAt: last?.at ?? now,
      hours: ofService,
      days: new Map(within(ACCOUNT_HOURS_LIFE).map(([day]) => [day, hoursWith(hours.find(day), uncounted.get(day))])),
      payments: new Map(
        within(FINGERPRINTS_LIFE).map(([day, completed]) => [
          day,
          completed.map(({ transaction, number, countedAt }) => packed(transaction, number, countedAt)).join(""),
        ]),
      ),
      oldestDay: dayBefore(now, ACCOUNT_HOURS_LIFE),
    };
  }

  /** Both days included, with the events that are not counted yet. */
  days(from: number, to: number): Map<number, CountedDay> {
    const { events, hours } = this.#stores;
    const days = hours.between(from, to);
    for (const [day, completed] of fold(events.after(this.#marks.countedEvent)).utcDays) {
      if (day >= from && day <= to) days.set(day, hoursWith(hours.find(day), completed));
    }
    return days;
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

  get #marks(): Pick<AccountRecord, "toldEvent" | "countedEvent"> {
    return this.#stores.records.record ?? { toldEvent: 0, countedEvent: 0 };
  }
}

/** Since 1970, UTC. */
export function dayBefore(now: number, milliseconds: number): number {
  return Math.floor((now - milliseconds) / DAY);
}

export function statisticsTelling(
  database: D1Database,
  statistics: Statistics,
  { records, untold }: Pick<AccountStores, "records" | "untold">,
): Paced {
  return {
    waiting: (now) => statistics.waiting(now),
    telling(now) {
      const news = statistics.news(now);
      const since = now - SEND_EVERY;
      return {
        since,
        statements: statisticsStatements(database, records.posId, news),
        taken: (_after, results) => statistics.told(news.upTo, toldUpTo(results) ?? news.upTo, now),
        failed: (after) => untold.notTold(since, after),
      };
    },
  };
}
