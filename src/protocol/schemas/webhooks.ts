/** An account's view of its endpoints. Deliveries follow Standard Webhooks 1.0. */
import * as z from "zod";
import { WEB_ADDRESS_LENGTH } from "../lengths.ts";
import { ATTEMPTS_SHOWN } from "../limits.ts";
import { countField, object, patternField, timeField, boundedField } from "./fields.ts";

export const webhookId = patternField(/^wh_[1-9][0-9]*$/, "The endpoint's id, never reused.", "wh_1");

export const enabled = z.boolean().meta({ description: "Whether events are delivered to it.", examples: [true] });

export const disabledBy = z
  .enum(["account", "operator", "failing", "gone"])
  .nullable()
  .meta({
    description:
      "Why nothing is delivered: the account or the operator disabled it, it failed for three days, or it returned 410. " +
      "Null while it is enabled.",
    examples: [null],
  });

export const cursor = countField("The number of the last event that it has received.", 42);
export const behind = countField("How many events are newer than that.", 0);
export const skipped = countField("Events that were deleted after 400 days, before it received them.", 0);

const status = z
  .int()
  .min(100)
  .max(599)
  .nullable()
  .meta({ description: "The HTTP status of the response; null if none arrived in time.", examples: [204] });

const milliseconds = countField("How long the response took.", 85);

export const attempt = object("One attempt to deliver an event.", {
  number: z
    .int()
    .min(1)
    .meta({ description: "The event's number.", examples: [42] }),
  at: timeField("When it was sent."),
  status,
  milliseconds,
});

export const webhook = object("An endpoint that events are delivered to.", {
  id: webhookId,
  url: boundedField(
    WEB_ADDRESS_LENGTH,
    "Scheme and host of the address, and its last four characters.",
    "https://books.example.com/…ment",
  ),
  enabled,
  disabledBy,
  cursor,
  behind,
  skipped,
  attempts: z.array(attempt).meta({ description: `The last ${ATTEMPTS_SHOWN} attempts, newest first.` }),
  nextAttempt: timeField("When the next event is sent; null if there is none, or deliveries are disabled.").nullable(),
  previousSecretUntil: timeField("Until when the previous secret also signs; null if it does not.").nullable(),
});

export const webhookWithSecret = object("An endpoint with a new secret.", {
  ...webhook.shape,
  secret: patternField(
    /^whsec_[A-Za-z0-9+/]{43}=$/,
    "The secret that verifies deliveries: `whsec_` and 32 random bytes in base64. Only in this response.",
    "whsec_c2hvd24gb25jZSwgaGVyZSBhbmQgbmV2ZXIgYWdhaW4=",
  ),
});

export const webhookList = object("The account's endpoints.", { data: z.array(webhook) });

export const pingAnswer = object("The endpoint's response to the ping.", { status, milliseconds });

export const PING_EXAMPLE = {
  id: "ping_0f8b2a52-5d7c-4d4e-9a59-6a4b1c1f6f0e",
  type: "ping",
  timestamp: "2026-11-20T10:15:00.000+08:00",
  data: {},
};

export const ping = z
  .object({
    id: patternField(/^ping_[0-9a-f-]{36}$/, "The id of this ping.", PING_EXAMPLE.id),
    type: z.literal("ping").meta({ description: "Always `ping`." }),
    timestamp: timeField("When it was sent."),
    data: object("Nothing.", {}),
  })
  .meta({ description: "A test of a webhook. It is not an event.", examples: [PING_EXAMPLE] });
