/** What operators must look at. */
import * as z from "zod";
import { AUDIT_NAME_LENGTH } from "../lengths.ts";
import { merchantId, stringField, object, posId, timeField, boundedField } from "./fields.ts";

export const incident = object("Something that somebody must look at.", {
  kind: z.enum(["conflict", "pending", "offline", "webhook", "outbox", "cut"]).meta({
    description:
      "`conflict`: terminals reported conflicting results. `pending`: transactions are `22`. " +
      "`offline`: a shop's terminals. `webhook`: an endpoint is disabled or " +
      "fails. `outbox`: the lists lack a change for more than 5 minutes. `cut`: a list of the overview is too long to be " +
      "shown as a whole.",
  }),
  id: boundedField(AUDIT_NAME_LENGTH, "The same for the same incident in every answer.", "offline M-1001"),
  title: stringField("What it is, the number first.", "2 terminals offline"),
  detail: stringField("Which ones, how much.", "Corner shop."),
  since: timeField("Since when.", "UTC"),
  posId: posId.nullable().meta({ description: "The account, or null." }),
  merchantId: merchantId.nullable().meta({ description: "The merchant, or null." }),
});

export type Incident = z.infer<typeof incident>;
