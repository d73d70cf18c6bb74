/** Delivers an object's outbox entries to D1: one batch per delivery, all of it or nothing. */
import { withTimeout } from "../lib/with-timeout.ts";
import { type AuditEntry, insertAuditOnce } from "../d1/audit.ts";
import { noteWaiting, noWaiting } from "../d1/objects.ts";
import { AUDIT, D1, LOG_RESYNC, type Outbox, type OutboxEntry } from "./storage/outbox.ts";
import { DELIVERY_TIMEOUT, type OutboxReceiver } from "./outbox-dispatcher.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/**
 * What an entry writes in D1. D1 must ignore it if it has the entry's version or a higher one: an attempt may be carried
 * out late, or twice.
 */
export interface DatabaseChange {
  statements: D1PreparedStatement[];
  /** Called in a turn, once D1 has the change. */
  delivered?: (now: EpochMs) => void;
}

/** The changes by the kind of an entry. */
type DatabaseChanges = Readonly<Record<string, (entry: OutboxEntry, now: EpochMs) => DatabaseChange>>;

interface DatabaseParts {
  context: Pick<DurableObjectState, "waitUntil">;
  database: D1Database;
  outbox: Outbox;
  /** The sender's name, under which D1 keeps its audit rows. */
  object: () => string;
  /** It has every kind but audit rows and the resync of logs. */
  changes: DatabaseChanges;
}

export function databaseReceiver({ context, database, outbox, object, changes }: DatabaseParts): OutboxReceiver {
  const changeOf = (entry: OutboxEntry, now: EpochMs): DatabaseChange => {
    if (entry.kind === LOG_RESYNC.kind) {
      const part = outbox.logPart(entry);
      return {
        statements: part.flatMap((one) => changeOf(one, now).statements),
        delivered: (after) => outbox.continueLogResync(entry, part, after),
      };
    }
    if (entry.kind === AUDIT) return { statements: [auditStatement(database, object(), entry)] };
    const change = changes[entry.kind];
    if (change === undefined) throw new Error(`nothing says how to write ${entry.kind}`);
    return change(entry, now);
  };
  /** The overview shows that D1 is behind: it refuses a row, but takes this one. */
  const reportRefusal = async (now: EpochMs): Promise<void> => {
    await withTimeout(DELIVERY_TIMEOUT, noteWaiting(database, object(), outbox.waiting(D1), now)).catch(
      () => undefined,
    );
  };
  return {
    target: D1,
    isBatched: () => true,
    async send(entries, now) {
      const written = entries.map((entry) => changeOf(entry, now));
      const statements = written.flatMap((change) => change.statements);
      if (outbox.isLastThatFailed(entries)) statements.push(noWaiting(database, object()));
      try {
        if (statements.length > 0) await database.batch(statements);
      } catch (error) {
        context.waitUntil(reportRefusal(now));
        throw error;
      }
      return (after) => {
        for (const { delivered } of written) delivered?.(after);
        return entries.map(() => "delivered" as const);
      };
    },
  };
}

function auditStatement(database: D1Database, object: string, { payload, version }: OutboxEntry): D1PreparedStatement {
  const entry = JSON.parse(payload ?? "") as AuditEntry;
  return insertAuditOnce(database, object, { ...entry, number: version });
}
