import * as z from "zod";
import { AUDIT_ACTIONS } from "../../../protocol/audit-actions.ts";
import { named, time } from "../../../protocol/schemas/fields.ts";
import { pageSchema } from "../responses.ts";

const values = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]))
  .nullable();

export const auditEntry = z
  .object({
    id: z
      .int()
      .min(1)
      .meta({ description: "The number of the row. Later rows have higher numbers.", examples: [42] }),
    at: time("The time of the change.", "UTC"),
    actor: named(
      "An operator's name, `account:` and a posId, or `terminal:` and a terminalId; `nobody` for an unknown token.",
      "alice",
    ),
    action: z.enum(AUDIT_ACTIONS).meta({ description: "The action." }),
    target: named(
      "A posId, a terminalId, a merchantId, a channel's name, the id of a master key, or the address of a refused caller.",
      "T-1001",
    ),
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
      .meta({ description: "What changed, without any secret." }),
    before: values.meta({ description: "The replaced values; null if there are none." }),
    after: values.meta({ description: "The new values; null if there are none that may be shown." }),
  })
  .meta({ description: "A change." });

export const auditPage = pageSchema(auditEntry, "Changes, newest first.");

export type AuditAnswer = z.infer<typeof auditEntry>;
export type AuditPage = z.infer<typeof auditPage>;
