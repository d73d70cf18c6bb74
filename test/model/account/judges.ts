/**
 * The judges of an account's object: what terminals truly did, against what was admitted, recorded, listed and counted,
 * regardless of failures in between. A business day that is closed never changes; totals and lists, of terminals and of all
 * together, are what the events of the day add up to. Amounts are in hundredths, without rounding.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Entry, Ledger } from "./ledger.ts";
import { Violation } from "../oracle.ts";
import type { Shop } from "./shop.ts";
import { Events } from "../../../src/gateway/account/storage/events.ts";
import {
  type AccountEvent,
  type AccountTransaction,
  type DayClosedEvent,
  type TransactionEvent,
  isAboutTransaction,
} from "../../../src/protocol/events.ts";
import { JOURNAL_LIFE } from "../../../src/protocol/limits.ts";
import { listQuestion } from "../../../src/gateway/account/rpc.ts";
import type { DayTotals, TotalsLine, PendingTotals } from "../../../src/protocol/totals.ts";

/** `12345` → `123.45` */
export function decimal(hundredths: number | bigint): string {
  const digits = String(hundredths).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function parsed(amount: string | null): bigint {
  return amount === null ? 0n : BigInt(amount.replace(".", ""));
}

function sumOf(amounts: readonly (string | null)[]): string {
  return decimal(amounts.reduce((sum, amount) => sum + parsed(amount), 0n));
}

/** In no particular order. */
function linesOf(completed: readonly AccountTransaction[]): TotalsLine[] {
  const kinds = Map.groupBy(completed, (one) => JSON.stringify([one.currency, one.transType, one.paymentChannel]));
  return [...kinds.values()].flatMap((ofKind) => {
    const [first] = ofKind;
    if (first === undefined) return [];
    const { currency, transType, paymentChannel } = first;
    const approved = ofKind.filter(({ statusCode }) => statusCode === "00");
    return {
      currency,
      transType,
      paymentChannel,
      approved: {
        count: approved.length,
        transAmt: sumOf(approved.map(({ transAmt }) => transAmt)),
        cashAmt: sumOf(approved.map(({ cashAmt }) => cashAmt)),
      },
      notApproved: { count: ofKind.length - approved.length },
    };
  });
}

function pendingOf(open: readonly AccountTransaction[]): PendingTotals {
  const oneCurrency = new Set(open.map(({ currency }) => currency)).size <= 1;
  return { count: open.length, transAmt: oneCurrency ? sumOf(open.map(({ transAmt }) => transAmt)) : null };
}

/** What has ever been carried out, forgotten or not. */
export class CarriedOut {
  readonly #all: { deviceId: string; entry: Entry }[] = [];

  get entries(): readonly Entry[] {
    return this.#all.map(({ entry }) => entry);
  }

  /** I1: a reference runs on one device while anybody remembers it. */
  started(deviceId: string, entry: Entry, now: number): void {
    for (const other of this.#all) {
      const isSame = other.entry.posId === entry.posId && other.entry.reference === entry.reference;
      if (!isSame || other.deviceId === deviceId) continue;
      const { completedAt, startedAt } = other.entry;
      if (completedAt === null || now - Math.max(completedAt, startedAt) <= JOURNAL_LIFE) {
        throw new Violation("I1", `${entry.reference} runs on ${deviceId}, and ran on ${other.deviceId}`);
      }
    }
    this.#all.push({ deviceId, entry });
  }
}

/** I7: the feed of one account, read to its end, when everything has come to rest. */
export function judgeFeed(posId: string, feed: readonly AccountEvent[], entries: readonly Entry[], now: number): void {
  const isKept = (at: number): boolean => now - at <= JOURNAL_LIFE;
  const events = feed.filter(isAboutTransaction);
  const kept = feed.filter(({ timestamp }) => isKept(Date.parse(timestamp)));
  kept.forEach((event, index) => {
    const next = kept[index + 1];
    if (next !== undefined && next.number !== event.number + 1) {
      throw new Violation("I7", `after event ${event.number} of ${posId} comes ${next.number}`);
    }
    if (event.id !== `evt_${posId}_${event.number}`) throw new Violation("I7", `event ${event.number} is ${event.id}`);
  });
  const own = entries.filter((entry) => entry.posId === posId);
  for (const entry of own) {
    const reported = events.filter(({ data }) => data.requestId === String(entry.requestId));
    judgeReported(entry, reported, isKept(entry.acknowledgedAt));
    if (isKept(entry.acknowledgedAt)) judgeMark(entry, reported.at(-1), own, isKept);
  }
  for (const { data } of kept.filter(isAboutTransaction)) {
    if (own.some(({ requestId }) => String(requestId) === data.requestId)) continue;
    throw new Violation("I7", `event of ${data.requestId}, which was never carried out`);
  }
}

/** @param isKept what was recorded last is not old enough to be forgotten */
function judgeReported(entry: Entry, reported: readonly TransactionEvent[], isKept: boolean): void {
  const { requestId, reference, statusCode, revision, completedAt } = entry;
  const newest = reported.at(-1);
  if (revision === 0 && newest !== undefined) throw new Violation("I7", `${reference} is reported without an outcome`);
  // What is open is kept at any age.
  if (newest === undefined) {
    if (revision > 0 && (isKept || completedAt === null)) throw new Violation("I7", `${requestId} is missed`);
    return;
  }
  if (newest.data.statusCode !== statusCode) {
    throw new Violation("I7", `${requestId} is ${statusCode}, and reported as ${newest.data.statusCode}`);
  }
  for (const name of ["transAmt", "cashAmt", "currency"] as const) {
    if (newest.data[name] !== entry[name]) {
      throw new Violation(
        "I7",
        `${requestId} has the ${name} ${entry[name]}, and is reported with ${newest.data[name]}`,
      );
    }
  }
  const final = reported.findIndex(({ type }) => type === "transaction.completed");
  if (final < 0) return;
  for (const { type, data } of reported.slice(final + 1)) {
    if (type === "transaction.completed") throw new Violation("I7", `${requestId} is completed twice`);
    if (data.statusCode !== statusCode) throw new Violation("I2", `${requestId} changes after it was completed`);
  }
}

function judgeMark(
  entry: Entry,
  newest: TransactionEvent | undefined,
  own: readonly Entry[],
  isKept: (at: number) => boolean,
): void {
  const { requestId, reference } = entry;
  const isReused = own.some((other) => other.reference === reference && other.requestId > requestId);
  if (newest === undefined || isReused) return;
  const voids = own.filter(({ voids: voided, statusCode }) => voided === entry && statusCode === "00");
  if (voids.some(({ acknowledgedAt }) => !isKept(acknowledgedAt))) return;
  if ((newest.data.voidedBy !== null) !== voids.length > 0) {
    throw new Violation("I7", `${requestId} is reported as voided by ${String(newest.data.voidedBy?.requestId)}`);
  }
}

export function judgeRest(ledgers: readonly Ledger[], posId: string): void {
  for (const ledger of ledgers) {
    const owed = ledger.owed(posId).length;
    if (owed > 0) throw new Violation("I7", `${ledger.terminalId} still owes ${owed} entries`);
  }
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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

  async #judgeOpen({ pending }: DayTotals, feed: readonly AccountEvent[]): Promise<void> {
    const newest = new Map(feed.filter(isAboutTransaction).map(({ data }) => [data.requestId, data]));
    const open = [...newest.values()].filter(({ completedAt }) => completedAt === null);
    this.#same("what is pending", pending, pendingOf(open));
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
    const listed: AccountTransaction[] = [];
    for (let before: number | null = null; ;) {
      const answer = await this.#shop.object.transactions(listQuestion({ day, statusCode }, { before, limit: PAGE }));
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

export async function feedOf(posId: string): Promise<AccountEvent[]> {
  return (await recordedOf(posId)).map(({ event }) => event);
}

/** Every event, each with the time of its record. */
function recordedOf(posId: string) {
  return runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) =>
    new Events(storage.sql).after(0, Number.MAX_SAFE_INTEGER),
  );
}

/** An account's object sends D1 none of its hours that are older. */
const REPORTED = 61 * DAY;

/** What is recorded later counts in the hour of its record. */
const IN_TIME = 30 * DAY;

/** Completions by the hour in which they count. */
function hoursOf(recorded: Awaited<ReturnType<typeof recordedOf>>): Map<number, number> {
  const hours = new Map<number, number>();
  for (const { at, event } of recorded) {
    if (event.type !== "transaction.completed") continue;
    const completedAt = Date.parse(event.data.completedAt ?? "");
    const hour = Math.floor((at - completedAt > IN_TIME ? at : Math.min(at, completedAt)) / HOUR);
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
  }
  return hours;
}

/** @returns how many hours D1 has */
export async function judgeHours(posId: string, now: number): Promise<number> {
  const expected = hoursOf(await recordedOf(posId));
  const { results } = await env.DATABASE.prepare(
    `SELECT d.day * 24 + h.key AS hour, SUM(h.value) AS counted
     FROM account_hours d, json_each(d.hours) k, json_each(k.value) h WHERE d.pos_id = ? GROUP BY 1`,
  )
    .bind(posId)
    .all<{ hour: number; counted: number }>();
  const reported = new Map(results.map(({ hour, counted }) => [hour, counted]));
  for (const { hour, counted } of results) {
    const wanted = expected.get(hour) ?? 0;
    const isKept = hour * HOUR > now - REPORTED;
    if (isKept ? counted !== wanted : counted > wanted && wanted > 0) {
      throw new Violation("statistics", `hour ${hour} of ${posId} has ${counted} payments, and the feed ${wanted}`);
    }
  }
  for (const [hour, wanted] of expected) {
    if (hour * HOUR <= now - REPORTED) continue;
    if (!reported.has(hour))
      throw new Violation("statistics", `D1 lacks hour ${hour} of ${posId} with ${wanted} payments`);
    await judgeService(hour);
  }
  return results.length;
}

/** The service's hour is the sum of its accounts': nothing was added twice, or not at all. */
async function judgeService(hour: number): Promise<void> {
  const sums = await env.DATABASE.prepare(
    `SELECT (SELECT SUM(h.value) FROM account_hours d, json_each(d.hours) k, json_each(k.value) h
       WHERE d.day = CAST(?1 AS INTEGER) / 24 AND CAST(h.key AS INTEGER) = CAST(?1 AS INTEGER) % 24) AS accounts,
       (SELECT SUM(value) FROM json_each(counts)) AS counted, (SELECT SUM(value) FROM json_each(times)) AS timed
     FROM statistics_hours WHERE hour = ?1`,
  )
    .bind(hour)
    .first<{ accounts: number; counted: number; timed: number }>();
  // The only time that the model's terminals measure is that of the record.
  if (sums === null || sums.accounts !== sums.counted || sums.counted !== sums.timed) {
    throw new Violation("statistics", `hour ${hour} of the service has ${JSON.stringify(sums)}`);
  }
}

export async function judgePending(posId: string): Promise<void> {
  const open = new Set<string>();
  for (const { event } of await recordedOf(posId)) {
    if (!isAboutTransaction(event)) continue;
    const { requestId, completedAt } = event.data;
    if (completedAt === null) open.add(requestId);
    else open.delete(requestId);
  }
  const { results } = await env.DATABASE.prepare(
    "SELECT request_id AS requestId FROM pending WHERE pos_id = ? AND open = 1",
  )
    .bind(posId)
    .all<{ requestId: number }>();
  const [listed, wanted] = [results.map(({ requestId }) => String(requestId)), [...open]].map((ids) => ids.toSorted());
  if (listed?.join() !== wanted?.join()) {
    throw new Violation("pending", `D1 lists ${listed?.join()} of ${posId}, and open are ${wanted?.join()}`);
  }
}
