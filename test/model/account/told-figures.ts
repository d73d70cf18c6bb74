/**
 * The judge of what D1 has of an account's hours, and of what is 22: what the feed says, regardless of failures in
 * between.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Events } from "../../../src/account/storage/events.ts";
import { type AccountEvent, isAboutTransaction } from "../../../src/protocol/events.ts";
import { Violation } from "../oracle.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** An account's object tells D1 nothing of its own hours that are older. */
const TOLD = 61 * DAY;

/** What is recorded later counts in the hour of its record. */
const IN_TIME = 30 * DAY;

interface Recorded {
  at: number;
  event: AccountEvent;
}

async function recordedOf(posId: string): Promise<Recorded[]> {
  return runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) =>
    new Events(storage.sql).after(0, Number.MAX_SAFE_INTEGER),
  );
}

/** Completions by the hour in which they count. */
function hoursOf(recorded: readonly Recorded[]): Map<number, number> {
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
  const told = new Map(results.map(({ hour, counted }) => [hour, counted]));
  for (const { hour, counted } of results) {
    const wanted = expected.get(hour) ?? 0;
    const isKept = hour * HOUR > now - TOLD;
    if (isKept ? counted !== wanted : counted > wanted && wanted > 0) {
      throw new Violation("statistics", `hour ${hour} of ${posId} has ${counted} payments, and the feed ${wanted}`);
    }
  }
  for (const [hour, wanted] of expected) {
    if (hour * HOUR <= now - TOLD) continue;
    if (!told.has(hour)) throw new Violation("statistics", `D1 lacks hour ${hour} of ${posId} with ${wanted} payments`);
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

export async function judgeUnresolved(posId: string): Promise<void> {
  const open = new Set<string>();
  for (const { event } of await recordedOf(posId)) {
    if (!isAboutTransaction(event)) continue;
    const { requestId, completedAt } = event.data;
    if (completedAt === null) open.add(requestId);
    else open.delete(requestId);
  }
  const { results } = await env.DATABASE.prepare(
    "SELECT request_id AS requestId FROM unresolved WHERE pos_id = ? AND open = 1",
  )
    .bind(posId)
    .all<{ requestId: number }>();
  const [listed, wanted] = [results.map(({ requestId }) => String(requestId)), [...open]].map((ids) => ids.toSorted());
  if (listed?.join() !== wanted?.join()) {
    throw new Violation("unresolved", `D1 lists ${listed?.join()} of ${posId}, and open are ${wanted?.join()}`);
  }
}
