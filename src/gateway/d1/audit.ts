import type { AuditAction } from "../../protocol/audit-actions.ts";
import { foldName } from "../../protocol/operator-roles.ts";
import type { WebhookChange } from "../account/rpc.ts";
import type { AUDIT_FILTERS } from "../../protocol/operator-filters.ts";
import { compares, equals, lister } from "./listing.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** The actions by the kind of change of an endpoint. */
export const WEBHOOK_ACTIONS = {
  add: "webhook.create",
  change: "webhook.change",
  remove: "webhook.delete",
  secret: "webhook.secret",
  replay: "webhook.replay",
} as const satisfies Record<WebhookChange["kind"], AuditAction>;

export interface AuditEntry {
  at: EpochMs;
  /**
   * An operator's name, `account:` and a posId, or `terminal:` and a terminalId; `nobody` stands for an unknown token.
   */
  actor: string;
  action: AuditAction;
  /** A posId, a terminalId, a channel's name, or the address of a refused caller. */
  target: string;
  /** The details contain no secret (I6). */
  details: Record<string, string | number | boolean | string[]>;
  /** The replaced values; they are missing if there are none, or none that may be shown. */
  before?: AuditValues;
  after?: AuditValues;
}

/** Values by name, without any secret (I6). */
export type AuditValues = Record<string, string | number | boolean | string[] | null>;

/** Returns an entry for a change made now. */
export function entryBy(
  operator: string,
  action: AuditAction,
  target: string,
  values: Partial<Pick<AuditEntry, "details" | "before" | "after">> = {},
): AuditEntry {
  return { at: Date.now(), actor: operator, action, target, details: {}, ...values };
}

/** Removed values are only in `before` and `after`. */
export function auditDetails(values: AuditValues): AuditEntry["details"] {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Exclude<AuditValues[string], null>] => entry[1] !== null),
  );
}

interface NumberedAuditEntry extends AuditEntry {
  /** The object assigns the number, and never reuses it. */
  number: number;
}

export interface AuditRow extends Pick<AuditEntry, "at" | "actor" | "action" | "target"> {
  id: number;
  /** The texts are JSON objects. */
  details: string;
  before: string | null;
  after: string | null;
}

export function auditAlways(db: D1Database, entry: AuditEntry): D1PreparedStatement {
  return auditIf(db, entry, "1", []);
}

/**
 * Writes an entry if `condition` holds. Put it before the change in the same batch, with the change's own condition:
 * both happen, or neither.
 */
export function auditIf(db: D1Database, entry: AuditEntry, condition: string, values: unknown[]): D1PreparedStatement {
  return db
    .prepare(`INSERT INTO audit_log (${ENTRY}) SELECT ?, ?, ?, ?, ?, ?, ? WHERE ${condition}`)
    .bind(...entryValues(entry), ...values);
}

/**
 * Counts attempts in one row per target: writes the entry unless its target has one, or there are too many such
 * entries, and adds to its `attempts`. Put the statements in one batch.
 *
 * @param limits `since`: older entries do not count
 */
export function countAttempts(
  db: D1Database,
  entry: AuditEntry,
  { since, attempts, atMost }: { since: number; attempts: number; atMost: number },
): D1PreparedStatement[] {
  const { target, action } = entry;
  const condition = `NOT EXISTS (SELECT 1 FROM audit_log WHERE target = ? AND at >= ? AND action = ?)
    AND (SELECT COUNT(*) FROM audit_log WHERE at >= ? AND action = ?) < ?`;
  return [
    auditIf(db, entry, condition, [target, since, action, since, action, atMost]),
    db
      .prepare(
        `UPDATE audit_log SET details = json_set(details, '$.attempts', (details ->> '$.attempts') + ?)
         WHERE target = ? AND at >= ? AND action = ?`,
      )
      .bind(attempts, target, since, action),
  ];
}

interface Proposal {
  terminalId: string;
  requestId: number;
  statusCode: string;
}

/**
 * The person behind an operator's name, as far as it can be known: somebody may have a token `anna` and be
 * `Anna@example.com` or `anna+pager@example.com` at Cloudflare Access. Two who share the part before the @ count as one
 * person, so they cannot confirm each other.
 */
function personOf(actor: string): string {
  return foldName(actor).replace(/(?:\+[^@]*)?@.*$/u, "");
}

/** Whether a person other than `actor` has proposed this since then, and nothing else after it. */
export async function isProposed(
  db: D1Database,
  { terminalId, requestId, statusCode }: Proposal,
  actor: string,
  since: number,
): Promise<boolean> {
  const { results } = await db
    .prepare(
      `SELECT actor, details ->> '$.statusCode' AS statusCode FROM audit_log
       WHERE target = ? AND at >= ? AND action = 'transaction.propose' AND details ->> '$.requestId' = ?
       ORDER BY at DESC, id DESC`,
    )
    .bind(terminalId, since, requestId)
    .all<{ actor: string; statusCode: string }>();
  const latest = new Map(results.toReversed().map((row) => [personOf(row.actor), row.statusCode]));
  latest.delete(personOf(actor));
  return [...latest.values()].includes(statusCode);
}

/** Writes a row that an object delivers, unless the log has it. */
export function insertAuditOnce(db: D1Database, object: string, entry: NumberedAuditEntry): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO audit_log (${ENTRY}, object, number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    .bind(...entryValues(entry), object, entry.number);
}

const ENTRY = "at, actor, action, target, details, before, after";

function entryValues({ at, actor, action, target, details, before, after }: AuditEntry): unknown[] {
  return [at, actor, action, target, JSON.stringify(details), jsonOrNull(before), jsonOrNull(after)];
}

function jsonOrNull(values: AuditValues | undefined): string | null {
  return values === undefined ? null : JSON.stringify(values);
}

/** The newest come first. A row of an object has the time of its change. */
export const listAudit = lister<AuditRow, typeof AUDIT_FILTERS, Pick<AuditRow, "at" | "id"> | null>({
  columns: `id, ${ENTRY}`,
  table: "audit_log",
  order: "at DESC, id DESC",
  after: (before) => (before === null ? undefined : { sql: "(at, id) < (?, ?)", values: [before.at, before.id] }),
  conditions: {
    actor: equals("actor"),
    target: equals("target"),
    action: equals("action"),
    from: compares("at", ">="),
    to: compares("at", "<"),
  },
  // Target and actor each have an index in the order of the times; one is enough.
  indexed: ({ target }) => [target === undefined ? "actor" : "target", "from", "to"],
});
