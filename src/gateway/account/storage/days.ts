import { type DayTally, buildDayTally, type TallyLine } from "../tally.ts";
import { RowTable } from "../../durable/storage/rows.ts";
import { type CountedDay, hoursFromText, hoursToText } from "../../statistics/tally.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

/**
 * Terminals per row: SQLite rows hold 2 MB (https://developers.cloudflare.com/durable-objects/platform/limits/), and a
 * terminal's lines take at most 20 KB.
 */
const DEVICES_A_ROW = 50;

export interface DayMark {
  timezone: string;
  /** The time at which it was due to close. */
  closesAt: EpochMs;
}

export interface Day {
  day: string;
  /** The numbers of its first and last counted event. */
  firstEvent: number;
  lastEvent: number;
  /** It is null while the day is open. */
  mark: DayMark | null;
}

/** The members of a line in the stored order. */
const LINE = [
  "currency",
  "transType",
  "paymentChannel",
  "approved",
  "transAmt",
  "cashAmt",
  "notApproved",
] as const satisfies (keyof TallyLine)[];

export class Days {
  readonly #sql: SqlStorage;
  readonly #days: RowTable<Day>;
  readonly #totals: RowTable<{ day: string; part: number; totals: [string, unknown[][]][] }>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#days = new RowTable(sql, "days", { day: "key", firstEvent: "plain", lastEvent: "plain", mark: "json" });
    this.#totals = new RowTable(sql, "day_totals", { day: "key", part: "key", totals: "json" });
  }

  /** Returns null if nothing was counted. */
  find(day: string): Day | null {
    return this.#days.select("WHERE day = ?", day)[0] ?? null;
  }

  /** Days with counted transactions. Days after the newest closed day are open. */
  after(day: string): Day[] {
    return this.#days.select("WHERE day > ?", day);
  }

  hasAfter(day: string): boolean {
    return this.#sql.exec("SELECT 1 FROM days WHERE day > ? LIMIT 1", day).toArray().length > 0;
  }

  /** Returns an empty tally if nothing was counted. */
  tally(day: string): DayTally {
    const kept = this.#totals.select("WHERE day = ? ORDER BY part", day).flatMap(({ totals }) => totals);
    return buildDayTally(kept.map(([deviceId, lines]) => [deviceId, lines.map(fromKept)] as const));
  }

  save(day: Day, { devices }: DayTally): void {
    this.#days.save(day);
    const kept = [...devices].map(([deviceId, lines]): [string, unknown[][]] => [
      deviceId,
      [...lines.values()].map((line) => LINE.map((member) => line[member])),
    ]);
    for (let from = 0; from < kept.length; from += DEVICES_A_ROW) {
      this.#totals.save({ day: day.day, part: from / DEVICES_A_ROW, totals: kept.slice(from, from + DEVICES_A_ROW) });
    }
  }

  /** Keeps the zone for days up to `lastDay`, which were closed in it, when the zone changes. */
  keepZone(lastDay: string, timezone: string): void {
    // A zone that has closed no day is not needed.
    this.#sql.exec(
      "INSERT INTO earlier_zones (last_day, timezone) VALUES (?, ?) ON CONFLICT (last_day) DO NOTHING",
      lastDay,
      timezone,
    );
  }

  /** Returns the zone in which a day was closed; null stands for the current zone. */
  findZone(closedDay: string): string | null {
    const query = "SELECT timezone FROM earlier_zones WHERE last_day >= ? ORDER BY last_day LIMIT 1";
    return this.#sql.exec<{ timezone: string }>(query, closedDay).toArray()[0]?.timezone ?? null;
  }
}

function fromKept(values: readonly unknown[]): TallyLine {
  // The values were written in this order.
  return Object.fromEntries(LINE.map((member, place) => [member, values[place]])) as unknown as TallyLine;
}

/** Sums of the counted events by hour (UTC). The hours of a day are one row. */
export class Hours {
  readonly #sql: SqlStorage;
  readonly #rows: RowTable<{ day: number; event: number; hours: string }>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#rows = new RowTable(sql, "hours", { day: "key", event: "plain", hours: "plain" });
  }

  /** An empty day with event 0 if nothing was counted. @param day since 1970, UTC */
  find(day: number): CountedDay {
    return this.between(day, day).get(day) ?? { event: 0, hours: new Map() };
  }

  /** Returns the days from first to last, both included. Days without counted events are missing. */
  between(from: number, to: number): Map<number, CountedDay> {
    const rows = this.#rows.select("WHERE day BETWEEN ? AND ?", from, to);
    return new Map(rows.map(({ day, event, hours }) => [day, { event, hours: hoursFromText(hours) }]));
  }

  save(day: number, { event, hours }: CountedDay): void {
    this.#rows.save({ day, event, hours: hoursToText(hours) });
  }

  removeBefore(day: number): void {
    this.#sql.exec("DELETE FROM hours WHERE day < ?", day);
  }
}
