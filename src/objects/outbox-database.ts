/** Delivers an object's outbox entries to D1: one batch per delivery, all of it or nothing. */
import { type AuditEntry, insertAuditOnce } from "../storage/audit.ts";
import { D1, type OutboxEntry, type OutboxReceiver } from "./outbox.ts";

/**
 * What an entry writes in D1. D1 must ignore it if it has the entry's version or a higher one: an attempt may be carried
 * out late, or twice.
 */
export interface DatabaseChange {
  statements: D1PreparedStatement[];
  /** D1 has it. Called in a turn. @param results of these statements */
  delivered?: (results: readonly D1Result[], now: number) => void;
}

/** By the kind of an entry. */
export type DatabaseChanges = Readonly<Record<string, (entry: OutboxEntry, now: number) => DatabaseChange>>;

/**
 * @param object the sender's name, under which D1 keeps its audit rows
 * @param changes for every kind but audit rows
 */
export function databaseReceiver(database: D1Database, object: () => string, changes: DatabaseChanges): OutboxReceiver {
  const changeOf = (entry: OutboxEntry, now: number): DatabaseChange => {
    if (entry.kind === "audit") return { statements: [auditStatement(database, object(), entry)] };
    const change = changes[entry.kind];
    if (change === undefined) throw new Error(`nothing says how to write ${entry.kind}`);
    return change(entry, now);
  };
  return {
    target: D1,
    isBatched: () => true,
    async send(entries, now) {
      const written = entries.map((entry) => changeOf(entry, now));
      const statements = written.flatMap((change) => change.statements);
      const results = statements.length === 0 ? [] : await database.batch(statements);
      return (after) => {
        let from = 0;
        for (const { statements: own, delivered } of written) {
          delivered?.(results.slice(from, (from += own.length)), after);
        }
        return entries.map(() => "delivered" as const);
      };
    },
  };
}

function auditStatement(database: D1Database, object: string, { payload, version }: OutboxEntry): D1PreparedStatement {
  const entry = JSON.parse(payload ?? "") as AuditEntry;
  return insertAuditOnce(database, object, { ...entry, number: version });
}
