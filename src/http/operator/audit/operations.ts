import { responseSchema } from "../../../contracts/json-schema.ts";
import type { Family } from "../../openapi/operation.ts";
import { queryParameters } from "../../openapi/operation.ts";
import { INSTANT, PAGE_LIMIT } from "../operations.ts";
import { auditQuery } from "./requests.ts";
import { auditEntry, auditPage } from "./responses.ts";

export const audit: Family = {
  tag: "Operator",
  caller: "operator",
  responses: {
    AuditEntry: responseSchema(auditEntry),
    AuditPage: responseSchema(auditPage),
  },
  operations: {
    "GET /operator/audit": {
      operationId: "listAudit",
      summary: "Read the audit log",
      description:
        "A page of changes, newest first: who changed what, when, from what and to what. A page may be short, even empty, " +
        "and still have a `next`.",
      parameters: queryParameters(auditQuery, {
        cursor: {
          description: "`next` of the previous page. Without it, the newest page.",
          schema: { type: "string", pattern: "^[0-9]{1,15}-[0-9]{1,15}$" },
          examples: ["1763633700000-42"],
        },
        limit: PAGE_LIMIT,
        actor: { description: "Only changes by this actor.", examples: ["alice"] },
        target: { description: "Only changes of this account, terminal, merchant or channel.", examples: ["T-1001"] },
        action: { description: "Only changes of this kind.", examples: ["terminal.unbind"] },
        from: { description: "Only changes at or after this time.", ...INSTANT },
        to: { description: "Only changes before this time.", ...INSTANT },
      }),
      answers: { 200: { description: "A page.", schema: "AuditPage" } },
    },
  },
};
