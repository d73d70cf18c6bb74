/** Every transaction counts once, in its day, in its hour and in D1, whatever happens between two of them. */
import { describe, it } from "vitest";
import { countedDays, enqueueStatisticsSince, statisticsChange } from "../../../../src/gateway/account/statistics.ts";
import { Sums } from "../../../../src/gateway/account/sums.ts";
import { pendingTransactions, totals } from "../../../../src/gateway/account/totals.ts";
import { D1 } from "../../../../src/gateway/durable/storage/outbox.ts";
import { parseOutcomeKey, type Tally } from "../../../../src/gateway/statistics/tally.ts";
import { readAccountHours, readServiceHours } from "../../../../src/gateway/d1/statistics.ts";
import { MemoryD1 } from "../../../workers-on-node/database.ts";
import { AccountParts } from "./parts.ts";
import { OPEN } from "../../../support/gateway/account/samples.ts";

const DAY = 86_400_000;

/** All that a history may reach: an account begins on the tenth, when the eighth is closed. */
const DATES = ["2031-05-09", "2031-05-10", "2031-05-11", "2031-05-12", "2031-05-13"];

class History {
  readonly #parts = new AccountParts();
  #sums = new Sums(this.#parts);
  #database = new MemoryD1() as unknown as D1Database;
  #late: D1PreparedStatement[] = [];
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
  }

  pass(milliseconds: number): void {
    this.#parts.now += milliseconds;
  }

  move(timezone: string): void {
    this.#parts.change({ timezone });
  }

  /** D1 gets what the outbox has, as an object's dispatcher would deliver it. */
  async deliver({ isLost = false } = {}): Promise<void> {
    const { outbox, now } = this.#parts;
    const entry = outbox.find({ target: D1, kind: "statistics" });
    if (entry === null) return;
    const { statements, delivered } = statisticsChange(this.#database, this.#parts, entry, now);
    await this.#database.batch(statements);
    if (isLost) return;
    delivered?.(now);
    outbox.settle(entry, "delivered", now);
  }

  /** An attempt is made that D1 carries out only after a later one. */
  delay(): void {
    const { outbox, now } = this.#parts;
    const entry = outbox.find({ target: D1, kind: "statistics" });
    if (entry !== null) this.#late = statisticsChange(this.#database, this.#parts, entry, now).statements;
  }

  restoreDatabase(): void {
    this.#database = new MemoryD1() as unknown as D1Database;
    this.#late = [];
    enqueueStatisticsSince(this.#parts, 0, this.#parts.now);
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
  async counted(): Promise<number[]> {
    for (let again = 0; again < 3; again++) await this.deliver();
    await this.#database.batch(this.#late);
    const { now, record } = this.#parts;
    const lines = DATES.flatMap((day) => totals(this.#parts, record, { day, deviceId: null }, now).data);
    const period = { from: 0, to: 1_000_000 };
    const accountHours = await readAccountHours(this.#database, { posId: record.posId }, period);
    return [
      sum(lines.map(({ approved }) => approved.count)),
      sum(
        [...countedDays(this.#parts, record, 0, 100_000).values()].flatMap(({ hours }) =>
          [...hours.values()].map(completedIn),
        ),
      ),
      sum((await readServiceHours(this.#database, "hour", period)).map(({ tally }) => completedIn(tally))),
      sum(accountHours === "too-many" ? [] : accountHours.map(({ tally }) => completedIn(tally))),
      pendingTransactions(this.#parts).length,
    ];
  }

  get payments(): number {
    return this.#payments;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}

/** A key may also name a turnover or a time. */
function completedIn(tally: Tally): number {
  return sum([...tally].filter(([key]) => parseOutcomeKey(key) !== null).map(([, number]) => number));
}

/** What may happen between two payments. */
const STEPS: Record<string, (history: History) => void | Promise<void>> = {
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
  "D1 gets them": (history) => history.deliver(),
  "D1 gets them, and its answer is lost": (history) => history.deliver({ isLost: true }),
  "D1 gets them after later ones": (history) => history.delay(),
  "D1 is restored": (history) => history.restoreDatabase(),
};

describe("every transaction between payments", () => {
  it.for(Object.keys(STEPS))("counts once if %s, and then anything else", async (first, { expect }) => {
    for (const second of Object.keys(STEPS)) {
      const history = new History();
      const changed: string[] = [];
      history.pay();
      for (const step of [first, second]) {
        await STEPS[step]?.(history);
        changed.push(...history.changedDays());
        history.pay();
      }
      const completed = 2 * history.payments;
      expect({ second, changed, counted: await history.counted() }).toEqual({
        second,
        changed: [],
        counted: [completed, completed, completed, completed, history.payments],
      });
    }
  });
});
