/** Deletes in bounded steps, so that no statement delays others. */
import { addUpHours } from "./counters.ts";
import { DAY, HOUR, type EpochMs } from "../../protocol/time/units.ts";
import { JOURNAL_LIFE } from "../../protocol/limits.ts";
import { STATISTICS_LIFE, ACCOUNT_HOURS_LIFE } from "../statistics/tally.ts";

export const AUDIT_LIFE = 730 * DAY;

/**
 * A terminal's object delivers its blocks at least as often as the journal's life, so a row outlives every transaction
 * that has one of its numbers.
 */
export const NUMBER_BLOCK_LIFE = 2 * JOURNAL_LIFE + DAY;

/** A completed transaction stays for a day, so that no late update opens it again. */
export const PENDING_ENDED_LIFE = DAY;

/** A statement of the daily clean-up deletes at most this many rows. */
export const CLEAN_UP_ROWS = 1_000;

/** The daily clean-up runs at most this many statements per table. The rest waits for the next day. */
const CLEAN_UP_STATEMENTS = 100;

/** Operators find a payment over all accounts for this long. */
export const FINGERPRINTS_LIFE = 7 * DAY;

/** The next run deletes what this one does not reach. */
export async function cleanUp(db: D1Database, now: EpochMs): Promise<void> {
  // First, so that no hour goes that is not in the totals.
  await addUpHours(db, now);
  const oldest = (life: number, unit: number): number => Math.floor((now - life) / unit) - 1;
  const expired: [table: string, key: string, where: string, before: number][] = [
    ["bind_keys", "id", "WHERE expires_at <= ?", now],
    // For a day, whoever sends such a code learns that it has expired.
    ["activation_codes", "digest", "WHERE expires_at <= ?", now - DAY],
    ["audit_log", "id", "WHERE at <= ?", now - AUDIT_LIFE],
    ["number_blocks", "last, terminal_id", "WHERE noted_at <= ?", now - NUMBER_BLOCK_LIFE],
    ["pending", "pos_id, request_id, terminal_id", "WHERE open = 0 AND noted_at <= ?", now - PENDING_ENDED_LIFE],
    ["outbox_waiting", "object", "WHERE noted_at <= ?", now - PENDING_ENDED_LIFE],
    ["account_hours", "pos_id, day", "INDEXED BY account_hours_by_day WHERE day <= ?", oldest(ACCOUNT_HOURS_LIFE, DAY)],
    ["fingerprints", "day, pos_id", "WHERE day <= ?", oldest(FINGERPRINTS_LIFE, DAY)],
    ["statistics_hours", "hour", "WHERE hour <= ?", oldest(STATISTICS_LIFE, HOUR)],
  ];
  for (const [table, key, where, before] of expired) {
    const selection = `SELECT ${key} FROM ${table} ${where} LIMIT ${CLEAN_UP_ROWS}`;
    await runOften(db.prepare(`DELETE FROM ${table} WHERE (${key}) IN (${selection})`).bind(before));
  }
}

async function runOften(deletion: D1PreparedStatement): Promise<void> {
  for (let count = 0; count < CLEAN_UP_STATEMENTS; count++) {
    const { meta } = await deletion.run();
    if (meta.changes < CLEAN_UP_ROWS) return;
  }
}
