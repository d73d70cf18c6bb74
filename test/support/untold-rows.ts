/** What an object has not told D1. */
import { isAudit, type Untold } from "../../src/objects/storage/untold.ts";
import { D1 } from "../../src/objects/untold/decisions.ts";
import type { AuditEntry } from "../../src/storage/audit.ts";

/** Rows of the audit log, the oldest first. */
export function auditRows(untold: Untold): AuditEntry[] {
  return untold
    .of(D1)
    .filter(isAudit)
    .map(({ body }) => JSON.parse(body ?? "") as AuditEntry);
}

/** Transactions that are 22, or are 22 no more, in the order of the changes: `number open` or `number completed`. */
export function unresolvedRows(untold: Untold): string[] {
  return untold
    .of(D1)
    .filter(({ topic }) => topic.startsWith("unresolved:"))
    .map(({ topic, body }) => `${topic.slice("unresolved:".length)} ${body === "null" ? "completed" : "open"}`);
}
