import { env } from "cloudflare:workers";

export interface AuditRow {
  actor: string;
  action: string;
  details: unknown;
  before: unknown;
  after: unknown;
}

/** What D1's audit log has of a target, the oldest first: rows of one moment in the order of their object. */
export async function auditOf(target: string): Promise<AuditRow[]> {
  const { results } = await env.DATABASE.prepare(
    "SELECT actor, action, details, before, after FROM audit_log WHERE target = ? ORDER BY at, number, id",
  )
    .bind(target)
    .all<Record<"actor" | "action" | "details", string> & Record<"before" | "after", string | null>>();
  return results.map(({ actor, action, details, before, after }) => ({
    actor,
    action,
    details: JSON.parse(details),
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
  }));
}
