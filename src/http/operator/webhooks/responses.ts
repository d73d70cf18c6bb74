import * as z from "zod";
import { HOST_LENGTH } from "../../../protocol/lengths.ts";
import type { WebhookState } from "../../../protocol/webhooks.ts";
import { time, upTo } from "../../../protocol/schemas/fields.ts";
import { behind, cursor, disabledBy, enabled, skipped, webhookId } from "../../../protocol/schemas/webhooks.ts";

export const webhookState = z
  .object({
    id: webhookId,
    host: upTo(HOST_LENGTH, "Its host. Only the account sees the rest of the address.", "books.example.com"),
    enabled,
    disabledBy,
    cursor,
    behind,
    skipped,
    nextAttempt: time(
      "When the next event is sent; null if there is none, or deliveries are disabled.",
      "UTC",
    ).nullable(),
  })
  .meta({ description: "An account's endpoint, as operators see it." }) satisfies z.ZodType<WebhookState>;

export const webhookStateList = z
  .object({ data: z.array(webhookState) })
  .meta({ description: "An account's endpoints, as operators see them." });

export type WebhookStateList = z.infer<typeof webhookStateList>;
