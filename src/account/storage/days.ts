/** Business days: what each adds up to as far as its events are tallied, and how a closed one stays as it is. */
import type { TransactionType } from "../../protocol/transfer-types.ts";
import { type Tally, tallyOf, type TallyLine } from "../tally.ts";
import { upsert } from "../../objects/storage/upsert.ts";

/**
 * How many terminals share a row: SQLite rows hold 2 MB
 * (https://developers.cloudflare.com/durable-objects/platform/limits/), and a terminal's lines take at most 20 KB.
 */
const DEVICES_A_ROW = 50;

export interface DayMark {
  timezone: string;
  /** When it was due to close, epoch milliseconds. */
  closesAt: number;
}

export interface Day {
  /** The numbers of its first and last counted event. */
  firstEvent: number;
  lastEvent: number;
  /** null while the day is open. */
  mark: DayMark | null;
}

/** A stored line: its members in this order. */
type KeptLine = [string, TransactionType, string | null, number, number, number, number];

const SAVE_TOTALS = upsert("day_totals", ["day", "part"], ["totals"]);

export class Days {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** null if nothing was counted for the day. */
  find(day: string): Day | null {
    const row = this.#sql
      .exec<{ first_event: number; last_event: number; timezone: string | null; closes_at: number | null }>(
        "SELECT first_event, last_event, timezone, closes_at FROM days WHERE day = ?",
        day,
      )
      .toArray()[0];
    if (row === undefined) return null;
    const { first_event, last_event, timezone, closes_at } = row;
    const mark = timezone === null || closes_at === null ? null : { timezone, closesAt: closes_at };
    return { firstEvent: first_event, lastEvent: last_event, mark };
  }

  /** Days after this one with counted transactions, oldest first. Days after the newest closed day are open. */
  after(day: string): string[] {
    return [...this.#sql.exec<{ day: string }>("SELECT day FROM days WHERE day > ? ORDER BY day", day)].map(
      (row) => row.day,
    );
  }

  /** Empty if nothing was counted for the day. */
  tally(day: string): Tally {
    const rows = this.#sql.exec<{ totals: string }>("SELECT totals FROM day_totals WHERE day = ? ORDER BY part", day);
    const kept = [...rows].flatMap(({ totals }) => JSON.parse(totals) as [string, KeptLine[]][]);
    return tallyOf(kept.map(([deviceId, lines]) => [deviceId, lines.map(fromKept)] as const));
  }

  save(day: string, { firstEvent, lastEvent }: Pick<Day, "firstEvent" | "lastEvent">, { devices }: Tally): void {
    this.#sql.exec(
      `INSERT INTO days (day, first_event, last_event) VALUES (?, ?, ?)
       ON CONFLICT (day) DO UPDATE SET first_event = excluded.first_event, last_event = excluded.last_event`,
      day,
      firstEvent,
      lastEvent,
    );
    const kept = [...devices].map(([deviceId, lines]) => [deviceId, [...lines.values()].map(toKept)]);
    for (let from = 0; from < kept.length; from += DEVICES_A_ROW) {
      this.#sql.exec(SAVE_TOTALS, day, from / DEVICES_A_ROW, JSON.stringify(kept.slice(from, from + DEVICES_A_ROW)));
    }
  }

  /** The zone changes: days up to `lastDay` keep the one in which they were closed. */
  keepZone(lastDay: string, timezone: string): void {
    // A zone that has closed no day is not needed.
    this.#sql.exec(
      "INSERT INTO earlier_zones (last_day, timezone) VALUES (?, ?) ON CONFLICT (last_day) DO NOTHING",
      lastDay,
      timezone,
    );
  }

  /** The zone in which a day was closed; null: the zone of now. */
  zoneOf(closedDay: string): string | null {
    const query = "SELECT timezone FROM earlier_zones WHERE last_day >= ? ORDER BY last_day LIMIT 1";
    return this.#sql.exec<{ timezone: string }>(query, closedDay).toArray()[0]?.timezone ?? null;
  }

  close(day: string, { timezone, closesAt }: DayMark): void {
    this.#sql.exec("UPDATE days SET timezone = ?, closes_at = ? WHERE day = ?", timezone, closesAt, day);
  }
}

function toKept(line: TallyLine): KeptLine {
  const { currency, transType, paymentChannel, approved, transAmt, cashAmt, notApproved } = line;
  return [currency, transType, paymentChannel, approved, transAmt, cashAmt, notApproved];
}

function fromKept([
  currency,
  transType,
  paymentChannel,
  approved,
  transAmt,
  cashAmt,
  notApproved,
]: KeptLine): TallyLine {
  return { currency, transType, paymentChannel, approved, transAmt, cashAmt, notApproved };
}
