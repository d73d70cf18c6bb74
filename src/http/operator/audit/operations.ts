import { made } from "../../../contracts/json-schema.ts";
import type { Family } from "../../openapi/operation.ts";
import { numberedPages } from "../operations.ts";
import { auditEntry, auditPage } from "./responses.ts";

export const audit: Family = {
  tag: "Operator",
  caller: "operator",
  responses: {
    AuditEntry: made(auditEntry),
    AuditPage: made(auditPage),
  },
  operations: {
    "GET /operator/audit": {
      operationId: "listAudit",
      summary: "Read the audit log",
      description: "A page of changes, newest first: who changed what, and when.",
      parameters: numberedPages,
      answers: { 200: { description: "A page.", schema: "AuditPage" } },
    },
  },
};
