/**
 * The judge of business days: what is closed never changes, and totals and lists, of terminals and of all together, are what
 * the events of the day add up to.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { type AccountEvent, type AccountTransaction, type DayClosedEvent } from "../../../src/protocol/events.ts";
import { isAboutTransaction } from "../../../src/protocol/events.ts";
import type { DayTotals, TotalsLine } from "../../../src/protocol/totals.ts";
import { eventsIn } from "../../support/stored-rows.ts";
import { Violation } from "../oracle.ts";
import { linesOf, unresolvedOf } from "./amounts.ts";
import type { Shop } from "./shop.ts";

const DAY = 86_400_000;

/** A list is read in pages of so many. */
const PAGE = 3;

export class Days {
  /** Totals of each closed day, as they were seen first. */
  readonly #seen = new Map<string, string>();
  readonly #shop: Shop;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  /** Looks at the open day, and at every closed one that it has seen. Closes those that are due. @returns how many it has seen */
  async judge(): Promise<number> {
    const { object, posId } = this.#shop;
    const open = await object.totals(null, null);
    const feed = await feedOf(posId);
    feed.filter(isClosing).forEach((closing) => this.#notice(closing, feed));
    await this.#noticeEmpty(open.day);
    for (const [day, totals] of this.#seen) {
      const now = JSON.stringify(await object.totals(day, null));
      if (now !== totals) throw new Violation("days", `${day} was ${totals}, and is ${now}`);
    }
    // Events of more than a year ago may be gone.
    if (feed.length < (feed.at(-1)?.number ?? 0)) return this.#seen.size;
    await this.#judgeOpen(open, feed);
    for (const day of [open.day, ...this.#seen.keys()]) await this.#judgeDay(day, feed);
    return this.#seen.size;
  }

  #notice({ number, data }: DayClosedEvent, feed: readonly AccountEvent[]): void {
    const { day } = data;
    if (this.#seen.has(day)) return;
    this.#seen.set(day, JSON.stringify(data));
    const late = completedIn(feed, day).find(({ event }) => event > number);
    if (late !== undefined) throw new Violation("days", `event ${late.event} is of ${day}, which was closed before`);
  }

  /** Two days ago is closed, also without a payment. */
  async #noticeEmpty(openDay: string): Promise<void> {
    const day = new Date(Date.parse(openDay) - 2 * DAY).toISOString().slice(0, 10);
    if (!this.#seen.has(day)) this.#seen.set(day, JSON.stringify(await this.#shop.object.totals(day, null)));
  }

  async #judgeOpen({ unresolved }: DayTotals, feed: readonly AccountEvent[]): Promise<void> {
    const newest = new Map(feed.filter(isAboutTransaction).map(({ data }) => [data.requestId, data]));
    const open = [...newest.values()].filter(({ completedAt }) => completedAt === null);
    this.#same("what is unresolved", unresolved, unresolvedOf(open));
    this.#same("the list of 22", await this.#list(null, "22"), idsOf(open));
  }

  async #judgeDay(day: string, feed: readonly AccountEvent[]): Promise<void> {
    const { object } = this.#shop;
    const completed = completedIn(feed, day).map(({ data }) => data);
    this.#same(`the list of ${day}`, await this.#list(day, null), idsOf(completed));
    for (const deviceId of [null, ...new Set(completed.map((one) => one.deviceId))]) {
      const { data } = await object.totals(day, deviceId);
      const wanted = linesOf(completed.filter((one) => deviceId === null || one.deviceId === deviceId));
      this.#same(`${day} of ${deviceId ?? "all"}`, inOrder(data), inOrder(wanted));
    }
  }

  /** The numbers of all listed transactions, page by page. */
  async #list(day: string | null, statusCode: "22" | null): Promise<string[]> {
    const filters = { day, statusCode, deviceId: null, transType: null, referenceId: null };
    const listed: AccountTransaction[] = [];
    for (let before: number | null = null; ;) {
      const answer = await this.#shop.object.transactions({ filters, before, limit: PAGE });
      if (answer.kind !== "page") throw new Violation("lists", `the list of a day is ${answer.kind}`);
      listed.push(...answer.data);
      if (answer.next === null) return idsOf(listed);
      before = answer.next;
    }
  }

  #same(what: string, seen: unknown, wanted: unknown): void {
    const [one, other] = [JSON.stringify(seen), JSON.stringify(wanted)];
    if (one !== other) throw new Violation("days", `${what} at ${this.#shop.posId} is ${one}, and events say ${other}`);
  }
}

const isClosing = (event: AccountEvent): event is DayClosedEvent => event.type === "day.closed";

function completedIn(feed: readonly AccountEvent[], day: string): { event: number; data: AccountTransaction }[] {
  return feed.flatMap((event) =>
    event.type === "transaction.completed" && event.data.day === day ? [{ event: event.number, data: event.data }] : [],
  );
}

function idsOf(transactions: readonly AccountTransaction[]): string[] {
  return transactions.map(({ requestId }) => requestId).toSorted();
}

function inOrder(lines: readonly TotalsLine[]): string[] {
  return lines.map((line) => JSON.stringify(line)).toSorted();
}

export function feedOf(posId: string): Promise<AccountEvent[]> {
  return runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) => eventsIn(storage));
}
