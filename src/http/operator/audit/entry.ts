import type { AuditAction, AuditEntry } from "../../../storage/audit.ts";

/** The row of the audit log about what an operator changes now. */
export function entryBy(
  operator: string,
  action: AuditAction,
  target: string,
  values: Partial<Pick<AuditEntry, "details" | "before" | "after">> = {},
): AuditEntry {
  return { at: Date.now(), actor: operator, action, target, details: {}, ...values };
}
