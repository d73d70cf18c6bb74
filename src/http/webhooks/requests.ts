/** The messages with which an account changes its webhooks. All except the ping are signed. */
import * as z from "zod";
import { NONCE_LENGTH, POS_ID_LENGTH, WEB_ADDRESS_LENGTH, WEBHOOK_CALL_LENGTH } from "../../protocol/lengths.ts";
import { webhookNumber } from "../../protocol/webhooks.ts";
import { optional, requestSignature, signedTime, text } from "../../validation/fields.ts";

/** A text that cannot be an endpoint's id is treated as an unknown id. */
export const webhookPath = z.object({
  webhookId: z.string().transform((id, context) => {
    const number = webhookNumber(id);
    if (number !== null) return number;
    context.addIssue({ code: "custom", message: "There is no such webhook." });
    return z.NEVER;
  }),
});

/** The members of every signed call. */
export const signedCall = z.object({
  posId: text(POS_ID_LENGTH),
  datetime: signedTime,
  nonce: text(NONCE_LENGTH),
  call: text(WEBHOOK_CALL_LENGTH),
  signature: requestSignature,
});

/**
 * `account/webhooks/address.ts` checks whether the gateway may call it: that depends on how the gateway itself was called.
 */
const url = text(WEB_ADDRESS_LENGTH);

export const newWebhook = signedCall.extend({ url });

export const webhookChanges = signedCall
  .extend({ url: optional(url), enabled: optional(z.boolean({ error: "Send true or false." })) })
  .refine((changes) => changes.url !== undefined || changes.enabled !== undefined, {
    error: "Send at least one of url, enabled.",
  });

const AFTER_WORDS = "Send the number of the event after which deliveries start, or 0 for all events that are kept.";

export const replay = signedCall.extend({ after: z.int({ error: AFTER_WORDS }).min(0, { error: AFTER_WORDS }) });
