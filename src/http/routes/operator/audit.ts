/** The operator's view of the audit log. */
import { createFactory } from "hono/factory";
import { PAGE_ROWS } from "../../../limits.ts";
import { type AuditRow, listAudit } from "../../../storage/audit.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import type { AuditAnswer, AuditPage } from "../../answers/operator.ts";
import type { OperatorEnvironment } from "../../operator.ts";
import { numberedPageQuery } from "../../messages/pages.ts";
import { pageOf, query } from "../../pages.ts";

export const auditLog = createFactory<OperatorEnvironment>().createApp();

auditLog.get("/operator/audit", query(numberedPageQuery), async (c) => {
  const { cursor = Number.MAX_SAFE_INTEGER, limit = PAGE_ROWS } = c.req.valid("query");
  const rows = await listAudit(c.env.DATABASE, cursor, limit + 1);
  return c.json(pageOf(rows, limit, ({ id }) => id, view) satisfies AuditPage);
});

function view({ id, at, actor, action, target, details }: AuditRow): AuditAnswer {
  return {
    id,
    at: isoWithOffset(at, "UTC"),
    actor,
    action,
    target,
    details: JSON.parse(details) as AuditAnswer["details"],
  };
}
