/**
 * The rows of an object's outbox: what D1, an account's object or a terminal's object has yet to receive from it. An
 * entry is written in the turn of its change, so it exists exactly if the change does. `outbox-dispatcher.ts` delivers it.
 */
import type { AuditEntry } from "../../d1/audit.ts";
import { DAY, MINUTE, SECOND, type EpochMs } from "../../../protocol/time/units.ts";
import type { TurnParticipant } from "../turns.ts";
import type { Sql } from "./rows.ts";

/**
 * There is no index on `next_at`: the table is nearly always empty, and with one, each payment would write a row more
 * (https://developers.cloudflare.com/durable-objects/platform/pricing/).
 */
export const OUTBOX_TABLES = `
  CREATE TABLE outbox (
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (target, kind, key)
  ) STRICT, WITHOUT ROWID;

  -- The highest version that was ever given out.
  CREATE TABLE outbox_version (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version INTEGER NOT NULL
  ) STRICT;

  -- Entries of logs that D1 has taken, in case it is restored to a time before them.
  CREATE TABLE outbox_delivered (
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT,
    version INTEGER NOT NULL,
    PRIMARY KEY (target, kind, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX outbox_delivered_by_version ON outbox_delivered (version);`;

/** This target is not an object. */
export const D1 = "d1";

/** D1 keeps every entry of these kinds, not only the newest state, and the object remembers what D1 has taken. */
export const AUDIT = "audit";
export const NUMBER_BLOCK = "number_block";
const LOG_KINDS: readonly string[] = [AUDIT, NUMBER_BLOCK];

/**
 * This is longer than the 30 days that D1 can be restored to
 * (https://developers.cloudflare.com/d1/reference/time-travel/).
 */
export const REMEMBERED_FOR = 35 * DAY;

/** One delivery carries at most this many entries. */
export const ENTRIES_AT_ONCE = 50;

/**
 * After a restore, D1 gets the entries of logs that it may lack, some with each delivery. The payload is the version
 * after which it may lack some.
 */
export const LOG_RESYNC = { target: D1, kind: "log_resync" } as const;

/** The longest pause after the first failure. It doubles with each further one, up to `LONGEST_BACKOFF`. */
const D1_BACKOFF = 30 * SECOND;
const OBJECT_BACKOFF = SECOND;
export const LONGEST_BACKOFF = 10 * MINUTE;

/** This is a type, because `exec` wants rows with an index signature. */
export type OutboxEntry = {
  /** `d1`, or the name of an object: `account:` and a posId, `terminal:` and a terminalId. */
  target: string;
  kind: string;
  /** Names the subject among those of its target and kind; "" if there is only one. */
  key: string;
  /** The content to deliver; null stands for the state at the time of the delivery. */
  payload: string | null;
  /** A receiver takes only a higher version than it has. */
  version: number;
  /** The receiver lacks the entry since this time. */
  createdAt: EpochMs;
  /** The number of failed attempts. */
  attempts: number;
  nextAt: EpochMs;
};

type EntryName = Pick<OutboxEntry, "target" | "kind"> & Partial<Pick<OutboxEntry, "key">>;

interface NewEntry extends EntryName {
  payload?: string | null;
  /**
   * The default is the object's next version. Every entry of one target, kind and key gets its versions from one count.
   */
  version?: number;
  /** The earliest delivery. By default, the entry is delivered immediately. */
  notBefore?: EpochMs;
}

/** An update that a caller waits for. Only entries whose versions the object counts can be awaited. */
export interface Awaited {
  /** A name that ends in a colon stands for every object whose name begins so. */
  target: string;
  /** The default is every kind. */
  kind?: string;
  /** The version, which includes all before it. */
  version: number;
}

/**
 * The result for one entry. When `busy`, the receiver cannot take it yet; when `refused`, it never will; when `failed`,
 * it could not take this one. A receiver that throws or does not answer has taken none.
 */
export type DeliveryAnswer = "delivered" | "busy" | "refused" | "failed";

const COLUMNS = "target, kind, key, payload, version, created_at AS createdAt, attempts, next_at AS nextAt";
const NAMED = "target = ? AND kind = ? AND key = ?";

/** Stores the rows. Every write belongs to a turn. */
export class Outbox implements TurnParticipant {
  readonly #sql: Sql;
  readonly #owner: () => string | undefined;
  #isChanged = false;

  /** @param owner the terminalId or posId, the target of every audit row; undefined: the object has none yet */
  constructor(sql: Sql, owner: () => string | undefined) {
    this.#sql = sql;
    this.#owner = owner;
  }

  /** Whether this turn has written or removed entries. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  forget(): void {
    this.#isChanged = false;
  }

  #write(query: string, ...values: SqlStorageValue[]): void {
    if (this.#sql.exec(query, ...values).rowsWritten > 0) this.#isChanged = true;
  }

  /**
   * A version is the time of its change, or one more than the last: versions grow even if the clock is set back, and an
   * object that has lost its storage does not begin below what receivers have.
   */
  nextVersion(now: EpochMs): number {
    const query = `INSERT INTO outbox_version (only, version) VALUES (1, ?)
      ON CONFLICT (only) DO UPDATE SET version = MAX(version + 1, excluded.version) RETURNING version`;
    return this.#sql.exec<{ version: number }>(query, now).one().version;
  }

  /** The highest version that was given out, or 0. */
  get lastVersion(): number {
    const rows = this.#sql.exec<{ version: number }>("SELECT version FROM outbox_version").toArray();
    return rows[0]?.version ?? 0;
  }

  /**
   * Replaces an entry of the same target, kind and key that has a lower version: a hundred changes of one state are one
   * delivery. If that entry has failed, the new one is tried immediately, and continues its back-off.
   *
   * @returns the entry's version
   */
  enqueue({ target, kind, key = "", payload = null, version: given, notBefore }: NewEntry, now: EpochMs): number {
    const version = given ?? this.nextVersion(now);
    this.#write(
      `INSERT INTO outbox (target, kind, key, payload, version, created_at, attempts, next_at)
       VALUES (?, ?, ?, ?, ?, ?, 0, ?)
       ON CONFLICT (target, kind, key) DO UPDATE SET
         payload = excluded.payload, version = excluded.version, next_at = excluded.next_at
       WHERE excluded.version > version`,
      target,
      kind,
      key,
      payload,
      version,
      now,
      notBefore ?? now,
    );
    return version;
  }

  /** D1 gets each audit row once, by the object's name and the entry's number. */
  enqueueAudit(entry: Omit<AuditEntry, "target">): void {
    const target = this.#owner();
    if (target === undefined) throw new Error("the object has no identity yet");
    const version = this.nextVersion(entry.at);
    const payload = JSON.stringify({ ...entry, target } satisfies AuditEntry);
    this.enqueue({ target: D1, kind: AUDIT, key: String(version), payload, version }, entry.at);
  }

  /** Returns null if the receiver lacks nothing of it. */
  find({ target, kind, key = "" }: EntryName): OutboxEntry | null {
    const rows = this.#sql.exec<OutboxEntry>(`SELECT ${COLUMNS} FROM outbox WHERE ${NAMED}`, target, kind, key);
    return rows.toArray()[0] ?? null;
  }

  /** Removes an entry that the receiver does not need any more, or got otherwise. */
  remove({ target, kind, key = "" }: EntryName): void {
    this.#write(`DELETE FROM outbox WHERE ${NAMED}`, target, kind, key);
  }

  isDelivered({ target, kind, version }: Awaited): boolean {
    const query = `SELECT 1 FROM outbox WHERE (target = ?1 OR (?1 LIKE '%:' AND target LIKE ?1 || '%'))
      AND (?2 IS NULL OR kind = ?2) AND version <= ?3 LIMIT 1`;
    return this.#sql.exec(query, target, kind ?? null, version).toArray().length === 0;
  }

  /** Counts the entries that wait for a target, or for all, with the time of the oldest; null if none waits. */
  waiting(target: string | null = null): { entries: number; oldest: number | null } {
    const query = "SELECT COUNT(*) AS entries, MIN(created_at) AS oldest FROM outbox WHERE target = ?1 OR ?1 IS NULL";
    return this.#sql.exec<{ entries: number; oldest: number | null }>(query, target).one();
  }

  /** Whether these entries have failed before, and no other entry of their target has. */
  isLastThatFailed(entries: readonly OutboxEntry[]): boolean {
    const [first] = entries;
    if (first === undefined || first.attempts === 0) return false;
    const query = "SELECT COUNT(*) AS failed FROM outbox WHERE target = ? AND attempts > 0";
    return this.#sql.exec<{ failed: number }>(query, first.target).one().failed <= entries.length;
  }

  /**
   * The targets that entries wait for, and when the next delivery to each is due. Those whose
   * delivery is due come first: D1, then whoever has waited longest, and whoever has failed last; then the others by
   * time.
   *
   * @param limit a constant of the caller. It stands in the statement, because SQLite compiles a statement whose LIMIT is a
   *   parameter again each time that it runs: ten times the cost, with every payment
   */
  targets(now: EpochMs, limit: number): { target: string; dueAt: EpochMs }[] {
    const query = `SELECT target, MIN(next_at) AS dueAt FROM outbox GROUP BY target
      ORDER BY MAX(MIN(next_at), ?), target <> '${D1}', MIN(attempts) > 0, dueAt, MIN(version) LIMIT ${limit}`;
    return this.#sql.exec<{ target: string; dueAt: EpochMs }>(query, now).toArray();
  }

  /** Entries that never failed come first, both in the order of their changes. */
  due(target: string, now: EpochMs): OutboxEntry[] {
    const query = `SELECT ${COLUMNS} FROM outbox WHERE target = ? AND next_at <= ?
      ORDER BY attempts > 0, created_at, version, key LIMIT ${ENTRIES_AT_ONCE}`;
    return this.#sql.exec<OutboxEntry>(query, target, now).toArray();
  }

  /** Does nothing to an entry that was replaced meanwhile, because the receiver lacks the newer one. */
  settle(entry: OutboxEntry, answer: DeliveryAnswer, now: EpochMs): void {
    const { target, kind, key, version, attempts } = entry;
    const row = [target, kind, key, version];
    if (answer === "delivered" && LOG_KINDS.includes(kind)) this.#remember(entry, now);
    if (answer === "delivered" || answer === "refused") {
      this.#write(`DELETE FROM outbox WHERE ${NAMED} AND version = ?`, ...row);
      return;
    }
    const nextAt = now + backoff(target, attempts, Math.random());
    const update = `UPDATE outbox SET attempts = attempts + 1, next_at = ? WHERE ${NAMED} AND version = ?`;
    this.#write(update, nextAt, ...row);
  }

  #remember({ target, kind, key, payload, version }: OutboxEntry, now: EpochMs): void {
    this.#sql.exec("DELETE FROM outbox_delivered WHERE version < ?", now - REMEMBERED_FOR);
    const insert =
      "INSERT INTO outbox_delivered (target, kind, key, payload, version) VALUES (?, ?, ?, ?, ?) " +
      "ON CONFLICT DO UPDATE SET payload = excluded.payload, version = excluded.version";
    this.#sql.exec(insert, target, kind, key, payload, version);
  }

  /**
   * Reschedules entries of which none was taken.
   *
   * @param isSilent the target did not answer: its other entries wait as long
   */
  fail(entries: readonly OutboxEntry[], isSilent: boolean, now: EpochMs): void {
    for (const entry of entries) this.settle(entry, "failed", now);
    const [first] = entries;
    if (first === undefined || !isSilent) return;
    const nextAt = now + backoff(first.target, first.attempts, Math.random());
    this.#write("UPDATE outbox SET next_at = ? WHERE target = ? AND next_at <= ?", nextAt, first.target, now);
  }

  /** After a restore, D1 may lack every entry of a log that it took in the last `REMEMBERED_FOR`. */
  enqueueLogResync(now: EpochMs): void {
    this.enqueue({ ...LOG_RESYNC, payload: String(now - REMEMBERED_FOR - 1) }, now);
  }

  /** The entries that the delivery of this `LOG_RESYNC` carries, which are fewer after each failure. */
  logPart({ payload, attempts }: OutboxEntry): OutboxEntry[] {
    const query = `SELECT target, kind, key, payload, version, version AS createdAt, 0 AS attempts, 0 AS nextAt
      FROM outbox_delivered WHERE version > ? ORDER BY version LIMIT ?`;
    return this.#sql.exec<OutboxEntry>(query, Number(payload), entriesAtOnce(attempts)).toArray();
  }

  /** Continues after a part that D1 has, unless a newer resync has begun again meanwhile. */
  continueLogResync({ version }: OutboxEntry, part: readonly OutboxEntry[], now: EpochMs): void {
    const last = part.at(-1);
    if (last === undefined || this.find(LOG_RESYNC)?.version !== version) return;
    this.enqueue({ ...LOG_RESYNC, payload: String(last.version) }, now);
  }
}

/** A delivery that fails is repeated in smaller parts: 50, 12, 3, 1. @param attempts how many have failed */
export function entriesAtOnce(attempts: number): number {
  return Math.max(ENTRIES_AT_ONCE >> Math.min(2 * attempts, 6), 1);
}

/**
 * The pause before the next attempt: full jitter, because all objects may have failed at the same moment
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 *
 * @param attempts how many had failed before this one
 * @param random from 0 to 1
 * @returns a whole number, as alarms have: one that fires a moment too early would be set again at once, repeatedly
 */
export function backoff(target: string, attempts: number, random: number): number {
  const first = target === D1 ? D1_BACKOFF : OBJECT_BACKOFF;
  return Math.max(Math.ceil(random * Math.min(first * 2 ** attempts, LONGEST_BACKOFF)), 1);
}
