/** What hours (UTC) add up to, as far as their events are counted. The hours of a day are one row. */
import { type CountedDay, fromText, toText } from "../../statistics/counted-day.ts";
import { upsert } from "../../objects/storage/upsert.ts";

type Row = { day: number; event: number; hours: string };

const SAVE = upsert("hours", ["day"], ["event", "hours"]);

export class Hours {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Where nothing was counted: an empty one, with event 0. @param day since 1970, UTC */
  find(day: number): CountedDay {
    return this.between(day, day).get(day) ?? { event: 0, hours: new Map() };
  }

  /** The days from one to another, both included, for which something was counted. */
  between(from: number, to: number): Map<number, CountedDay> {
    const rows = this.#sql.exec<Row>("SELECT day, event, hours FROM hours WHERE day BETWEEN ? AND ?", from, to);
    return new Map([...rows].map(({ day, event, hours }) => [day, { event, hours: fromText(hours) }]));
  }

  save(days: ReadonlyMap<number, CountedDay>): void {
    for (const [day, { event, hours }] of days) {
      this.#sql.exec(SAVE, day, event, toText(hours));
    }
  }

  removeBefore(day: number): void {
    this.#sql.exec("DELETE FROM hours WHERE day < ?", day);
  }
}
