/** Derives from events what they add to the sums of an account. */
import { type AccountTransaction, isAboutTransaction } from "../../protocol/events.ts";
import {
  count as countCompleted,
  type CountedDay,
  toUtcDay,
  HOURS_A_DAY,
  type OutcomeKind,
  type MeasuredTimes,
  tallyAt,
  type Turnover,
  computeTurnover,
} from "../statistics/tally.ts";
import { HOUR, DAY, type EpochMs } from "../../protocol/time/units.ts";
import type { StoredEvent } from "./storage/events.ts";
import { countInDay, type DayTally } from "./tally.ts";

/** A completion that is recorded later than this counts in the hour of its recording. */
export const RECORDED_WITHIN = 30 * DAY;

export interface Completed {
  /** The number of its event. */
  number: number;
  /** The business day on which it counts. */
  day: string;
  /** The time at which statistics count it, and its hour since 1970, UTC. */
  countedAt: EpochMs;
  hour: number;
  transaction: AccountTransaction;
  kind: OutcomeKind;
  turnover: Turnover | null;
  times: MeasuredTimes;
}

export interface Folded {
  /** The completed transactions in order, by business day. */
  days: Map<string, Completed[]>;
  /** The completed transactions by day since 1970, UTC. */
  utcDays: Map<number, Completed[]>;
}

export function fold(events: readonly StoredEvent[]): Folded {
  const completed = events.map(completedBy).filter((one) => one !== null);
  return {
    days: Map.groupBy(completed, ({ day }) => day),
    utcDays: Map.groupBy(completed, ({ hour }) => toUtcDay(hour)),
  };
}

function completedBy({ number, event, at, times }: StoredEvent): Completed | null {
  if (!isAboutTransaction(event) || event.type !== "transaction.completed") return null;
  const { statusCode, completedBy: by, transType, responseCode, completedAt, day, currency, transAmt } = event.data;
  if (statusCode === "22" || by === null || completedAt === null || day === null) return null;
  const countedAt = countedTime(Date.parse(completedAt), at);
  return {
    number,
    day,
    countedAt,
    hour: Math.floor(countedAt / HOUR),
    transaction: event.data,
    kind: { statusCode, completedBy: by, transType, responseCode },
    turnover: computeTurnover({ statusCode, transType, currency, transAmt }),
    times,
  };
}

/**
 * Returns the time of completion, or that of recording if the transaction was recorded very late, or if this object's
 * clock is behind that of the terminal's object.
 */
function countedTime(completedAt: EpochMs, recordedAt: EpochMs): number {
  return recordedAt - completedAt <= RECORDED_WITHIN ? Math.min(completedAt, recordedAt) : recordedAt;
}

/** Adds the transactions to the tally of a business day, which it changes. */
export function tallyWith(tally: DayTally, completed: readonly Completed[] = []): DayTally {
  for (const { transaction } of completed) countInDay(tally, transaction);
  return tally;
}

/** Adds the transactions to the day, which it changes. */
export function hoursWith(day: CountedDay, completed: readonly Completed[] = []): CountedDay {
  for (const { number, hour, kind, times, turnover } of completed) {
    countCompleted(tallyAt(day.hours, hour % HOURS_A_DAY), kind, times, turnover);
    day.event = number;
  }
  return day;
}

/** Returns the day, counted since 1970 in UTC, so many milliseconds before `now`. */
export function dayBefore(now: number, milliseconds: number): number {
  return Math.floor((now - milliseconds) / DAY);
}
