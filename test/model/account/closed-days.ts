/** The judge of business days: what is closed never changes, and is what the events of the day add up to. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { AccountEvent, DayClosedEvent } from "../../../src/protocol/events.ts";
import { eventsIn } from "../../support/stored-rows.ts";
import { Violation } from "../oracle.ts";
import type { Shop } from "./shop.ts";

export class ClosedDays {
  /** Totals of each closed day, as they were seen first. */
  readonly #seen = new Map<string, string>();
  readonly #shop: Shop;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  /** Looks at every day that was ever closed. Closes those that are due. @returns how many there are */
  async judge(): Promise<number> {
    const { object, posId } = this.#shop;
    await object.totals(null, null);
    const feed = await feedOf(posId);
    feed.filter(isClosing).forEach((closing) => this.#notice(closing, feed));
    for (const [day, totals] of this.#seen) {
      const now = JSON.stringify(await object.totals(day, null));
      if (now !== totals) throw new Violation("days", `${day} was ${totals}, and is ${now}`);
      const parts = await Promise.all((await devicesOf(posId, day)).map((deviceId) => object.totals(day, deviceId)));
      const sum = parts.reduce((before, part) => before + countOf(part?.data ?? []), 0);
      const whole = countOf((JSON.parse(totals) as DayClosedEvent["data"]).data);
      if (sum !== whole) throw new Violation("days", `the terminals of ${day} have ${sum}, and all together ${whole}`);
    }
    return this.#seen.size;
  }

  #notice({ number, data }: DayClosedEvent, feed: readonly AccountEvent[]): void {
    const { day } = data;
    if (this.#seen.has(day)) return;
    if ([...this.#seen.keys()].some((earlier) => earlier >= day)) throw new Violation("days", `${day} is closed late`);
    this.#seen.set(day, JSON.stringify(data));
    const settled = feed.filter((event) => event.type === "transaction.settled" && event.data.day === day);
    const late = settled.find((event) => event.number > number);
    if (late !== undefined) throw new Violation("days", `event ${late.number} is of ${day}, which was closed before`);
    // Where the day was closed more than a year late, its events may be gone.
    if (feed.length < (feed.at(-1)?.number ?? 0)) return;
    const counted = countOf(data.data);
    if (settled.length !== counted) throw new Violation("days", `${day} has ${settled.length}, and counts ${counted}`);
  }
}

const isClosing = (event: AccountEvent): event is DayClosedEvent => event.type === "day.closed";

function countOf(lines: DayClosedEvent["data"]["data"]): number {
  return lines.reduce((before, { approved, declined }) => before + approved.count + declined.count, 0);
}

export function feedOf(posId: string): Promise<AccountEvent[]> {
  return runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) => eventsIn(storage));
}

/** Whom the day's kept totals name. */
function devicesOf(posId: string, day: string): Promise<string[]> {
  return runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) =>
    [...storage.sql.exec<{ totals: string }>("SELECT totals FROM day_totals WHERE day = ?", day)].flatMap(
      ({ totals }) => (JSON.parse(totals) as [string][]).map(([deviceId]) => deviceId),
    ),
  );
}
