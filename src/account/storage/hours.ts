/** What hours (UTC) add up to, as far as their events are counted. The hours of a day are one row. */
import { emptyTally, type Tally } from "../../statistics/tally.ts";
import { DAY, HOUR } from "../../time/units.ts";

/** Hours are numbered since 1970, UTC. */
export interface CountedHour {
  /** The newest event that is counted in it. */
  event: number;
  tally: Tally;
}

/** An hour as it is kept. */
type KeptHour = [hour: number, event: number, counts: [string, number][], times: [string, number][]];

const HOURS_A_DAY = DAY / HOUR;

export class Hours {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Where nothing was counted: an empty one, with event 0. */
  find(hour: number): CountedHour {
    return this.#day(dayOf(hour)).get(hour) ?? { event: 0, tally: emptyTally() };
  }

  /** Those that have counted something behind this event. */
  changedAfter(event: number): Map<number, CountedHour> {
    const rows = this.#sql.exec<{ hours: string }>("SELECT hours FROM hours WHERE event > ?", event).toArray();
    const hours = rows.flatMap(({ hours: text }) => [...fromText(text)]);
    return new Map(hours.filter(([, counted]) => counted.event > event));
  }

  save(changed: ReadonlyMap<number, CountedHour>): void {
    for (const [day, ofDay] of Map.groupBy(changed, ([hour]) => dayOf(hour))) {
      const hours = new Map([...this.#day(day), ...ofDay]);
      const event = Math.max(...[...hours.values()].map((counted) => counted.event));
      this.#sql.exec("INSERT OR REPLACE INTO hours (day, event, hours) VALUES (?, ?, ?)", day, event, toText(hours));
    }
  }

  /** Forgets the days that ended before this hour. */
  removeBefore(hour: number): void {
    this.#sql.exec("DELETE FROM hours WHERE day < ?", dayOf(hour));
  }

  #day(day: number): Map<number, CountedHour> {
    const row = this.#sql.exec<{ hours: string }>("SELECT hours FROM hours WHERE day = ?", day).toArray()[0];
    return row === undefined ? new Map() : fromText(row.hours);
  }
}

function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_A_DAY);
}

function toText(hours: ReadonlyMap<number, CountedHour>): string {
  const kept = [...hours].map(([hour, { event, tally }]): KeptHour => [
    hour,
    event,
    [...tally.counts],
    [...tally.times],
  ]);
  return JSON.stringify(kept);
}

function fromText(text: string): Map<number, CountedHour> {
  return new Map(
    (JSON.parse(text) as KeptHour[]).map(([hour, event, counts, times]) => [
      hour,
      { event, tally: { counts: new Map(counts), times: new Map(times) } },
    ]),
  );
}
