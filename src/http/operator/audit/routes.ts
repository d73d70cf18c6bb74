import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import { type AuditRow, listAudit } from "../../../storage/audit.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { query } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { numberedPageQuery, pageOf } from "../pages.ts";
import type { AuditAnswer, AuditPage } from "./responses.ts";

export const audit = operatorFactory.createApp();

audit.get("/operator/audit", query(numberedPageQuery), async (c) => {
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
