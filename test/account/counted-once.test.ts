/** Every transaction counts once, in its day, in its hour and in D1, whatever happens between two of them. */
import { describe, it } from "vitest";
import { Statistics } from "../../src/account/statistics.ts";
import { Sums } from "../../src/account/sums.ts";
import { totals, unresolvedOf } from "../../src/account/totals.ts";
import { type CountedDay, kindOf } from "../../src/statistics/tally.ts";
import { AccountParts } from "./parts.ts";
import { OPEN } from "./samples.ts";

const DAY = 86_400_000;

/** All that a history may reach: an account begins on the tenth, when the eighth is closed. */
const DATES = ["2031-05-09", "2031-05-10", "2031-05-11", "2031-05-12", "2031-05-13"];

class History {
  readonly #parts = new AccountParts();
  #sums = new Sums(this.#parts);
  #statistics = new Statistics(this.#parts);
  /** The newest event that D1 has counted, how many it has added to the service's, and the account's own days. */
  #database = { event: 0, added: 0, days: new Map<number, CountedDay>() };
  #payments = 0;
  /** As they were shown first. */
  readonly #closed = new Map<string, string>();

  /** One is open, then completed; one is completed at once; one stays open. */
  pay(): void {
    const number = this.#payments++;
    const open = this.#parts.entry(`a${number}`, OPEN);
    const completed = { ...this.#parts.entry(`a${number}`), requestId: open.requestId, revision: 2 };
    this.#parts.recordAll(open, this.#parts.entry(`b${number}`), completed, this.#parts.entry(`c${number}`, OPEN));
  }

  store(): void {
    this.#sums.store(this.#parts.record, this.#parts.now);
  }

  undoneStore(): void {
    const { sql, records } = this.#parts;
    records.finish();
    sql.exec("BEGIN");
    this.store();
    records.finish();
    sql.exec("ROLLBACK");
    records.forget();
  }

  evict(): void {
    const { records } = this.#parts;
    records.finish();
    records.forget();
    this.#sums = new Sums(this.#parts);
    this.#statistics = new Statistics(this.#parts);
  }

  pass(milliseconds: number): void {
    this.#parts.now += milliseconds;
  }

  move(timezone: string): void {
    this.#parts.change({ timezone });
  }

  tell({ isLost = false } = {}): void {
    const { after, upTo, hours, days } = this.#statistics.news(this.#parts.now);
    if (after === this.#database.event) {
      this.#database.event = upTo;
      this.#database.added += sum([...hours.values()].flatMap(({ counts }) => completedIn(counts)));
    }
    for (const [day, news] of days) {
      if (news.event > (this.#database.days.get(day)?.event ?? 0)) this.#database.days.set(day, news);
    }
    if (!isLost) this.#statistics.told(upTo, this.#database.event, this.#parts.now);
  }

  restoreDatabase(): void {
    this.#database = { event: 0, added: 0, days: new Map() };
  }

  /** What changed of the days that are closed; nothing may. */
  changedDays(): string[] {
    const { record, now } = this.#parts;
    return DATES.filter((day) => day <= record.closedDay).flatMap((day) => {
      const shown = totals(this.#parts, record, { day, deviceId: null }, now);
      const [before, after] = [this.#closed.get(day), JSON.stringify(shown)];
      this.#closed.set(day, after);
      return before === undefined || before === after ? [] : [`${day} was ${before}, and is ${after}`];
    });
  }

  /** Completed ones by day, by hour, in D1's sums of the service and of the account, and those that are open. */
  counted(): number[] {
    for (let again = 0; again < 3; again++) this.tell();
    const { now, record } = this.#parts;
    const lines = DATES.flatMap((day) => totals(this.#parts, record, { day, deviceId: null }, now).data);
    return [
      sum(lines.map(({ approved }) => approved.count)),
      inHours(this.#statistics.days(0, 100_000)),
      this.#database.added,
      inHours(this.#database.days),
      unresolvedOf(this.#parts, record).length,
    ];
  }

  get payments(): number {
    return this.#payments;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}

/** The values of what was completed: a key may also name a turnover. */
function completedIn<Value>(counts: ReadonlyMap<string, Value>): Value[] {
  return [...counts].filter(([key]) => kindOf(key) !== null).map(([, value]) => value);
}

function inHours(days: ReadonlyMap<number, CountedDay>): number {
  return sum([...days.values()].flatMap(({ hours }) => completedIn(hours).flatMap((counts) => [...counts.values()])));
}

/** What may happen between two payments. */
const STEPS: Record<string, (history: History) => void> = {
  "the sums are stored": (history) => history.store(),
  "a turn that stores them is undone": (history) => history.undoneStore(),
  "the object is evicted": (history) => history.evict(),
  "a day passes": (history) => history.pass(DAY),
  "a day passes and is closed": (history) => {
    history.pass(DAY);
    history.store();
  },
  "the clock is set back by a day": (history) => history.pass(-DAY),
  "the zone moves west": (history) => history.move("America/Los_Angeles"),
  "the zone moves east": (history) => history.move("Pacific/Auckland"),
  "D1 is told": (history) => history.tell(),
  "D1 is told, and its answer is lost": (history) => history.tell({ isLost: true }),
  "D1 is restored": (history) => history.restoreDatabase(),
};

describe("every transaction counts once if, between payments,", () => {
  it.for(Object.keys(STEPS))("%s, and then anything else", (first, { expect }) => {
    for (const second of Object.keys(STEPS)) {
      const history = new History();
      const changed: string[] = [];
      history.pay();
      for (const step of [first, second]) {
        STEPS[step]?.(history);
        changed.push(...history.changedDays());
        history.pay();
      }
      const completed = 2 * history.payments;
      expect({ second, changed, counted: history.counted() }).toEqual({
        second,
        changed: [],
        counted: [completed, completed, completed, completed, history.payments],
      });
    }
  });
});
