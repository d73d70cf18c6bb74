import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import { type AuditRow, type AuditValues, listAudit } from "../../../storage/audit.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { query } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { pageOf } from "../../pages.ts";
import { auditQuery } from "./requests.ts";
import type { AuditAnswer, AuditPage } from "./responses.ts";

export const audit = operatorFactory.createApp();

audit.get("/operator/audit", query(auditQuery), async (c) => {
  const { cursor = null, limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listAudit(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(pageOf(found, limit, ({ at, id }) => `${at}-${id}`, view) satisfies AuditPage);
});

function view({ id, at, actor, action, target, details, before, after }: AuditRow): AuditAnswer {
  return {
    id,
    at: isoWithOffset(at, "UTC"),
    actor,
    action,
    target,
    details: JSON.parse(details) as AuditAnswer["details"],
    before: valuesOf(before),
    after: valuesOf(after),
  };
}

function valuesOf(text: string | null): AuditValues | null {
  return text === null ? null : (JSON.parse(text) as AuditValues);
}
