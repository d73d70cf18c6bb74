import * as z from "zod";
import { AUDIT_FILTERS } from "../../../../protocol/operator-filters.ts";
import { defineCursor, filterShape } from "../filters.ts";
import { makePage, pageQuery } from "../../middleware/pages.ts";
import { PAGE_ROWS } from "../../../../protocol/limits.ts";
import { type AuditRow, type AuditValues, listAudit } from "../../../d1/audit.ts";
import { utc } from "../../../../protocol/time/zone.ts";
import { auditCsv } from "../../../../protocol/csv.ts";
import { csvAnswer, wantsCsv } from "../../middleware/csv.ts";
import { query } from "../../validation/validators.ts";
import { operatorFactory, forViewers } from "../authentication.ts";
import type { AuditAnswer, AuditPage } from "../../../../protocol/schemas/operator.ts";
import { PAGE_LIMIT, filterNotes } from "../words.ts";
import { describeCall } from "../../middleware/describe.ts";

const CURSOR = /^[0-9]{1,15}-[0-9]{1,15}$/;

const auditQuery = z.object({
  cursor: defineCursor(CURSOR, ([at, id]) => ({ at: Number(at), id: Number(id) })),
  limit: pageQuery.shape.limit,
  ...filterShape(AUDIT_FILTERS),
});

export const auditCalls = operatorFactory.createApp();

auditCalls.get("/operator/audit", forViewers, query(auditQuery), async (c) => {
  const { cursor = null, limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listAudit(c.env.DATABASE, filter, cursor, limit + 1);
  const page: AuditPage = makePage(found, limit, ({ at, id }) => `${at}-${id}`, view);
  return wantsCsv(c) ? csvAnswer(c, auditCsv(page.data), page.next) : c.json(page);
});

describeCall(auditCalls, ({ listAnswer }) => ({
  tag: "Operator",
  operationId: "listAudit",
  summary: "Read the audit log",
  description:
    "A page of changes, newest first: who changed what, when, from what and to what. A page may be short, even empty, " +
    "and still have a `next`.",
  query: {
    cursor: {
      description: "`next` of the previous page. Without it, the newest page.",
      schema: { type: "string", pattern: CURSOR.source },
      examples: ["1763633700000-42"],
    },
    limit: PAGE_LIMIT,
    ...filterNotes(AUDIT_FILTERS),
  },
  answers: { 200: listAnswer("A page.", "AuditPage", auditCsv([])) },
}));

function view({ id, at, actor, action, target, details, before, after }: AuditRow): AuditAnswer {
  return {
    id,
    at: utc(at),
    actor,
    action,
    target,
    details: JSON.parse(details) as AuditAnswer["details"],
    before: parseValues(before),
    after: parseValues(after),
  };
}

function parseValues(json: string | null): AuditValues | null {
  return json === null ? null : (JSON.parse(json) as AuditValues);
}
