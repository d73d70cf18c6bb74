/** The messages with which an account changes its webhooks. */
import * as z from "zod";
import { WEB_ADDRESS_LENGTH } from "../../../../protocol/lengths.ts";
import { webhookNumber } from "../../../../protocol/webhooks.ts";
import { optionalField, textField } from "../../validation/fields.ts";
import { describeMessages } from "../../middleware/describe.ts";
import { signedCall } from "../../middleware/signed-call.ts";

/** A text that cannot be an endpoint's id is treated as an unknown id. */
export const webhookPath = z.object({
  webhookId: z.string().transform((id, context) => {
    const number = webhookNumber(id);
    if (number !== null) return number;
    context.addIssue({ code: "custom", message: "There is no such webhook." });
    return z.NEVER;
  }),
});

/**
 * `account/webhooks/endpoint.ts` checks whether the gateway may call it: that depends on how the gateway itself was
 * called.
 */
const webAddress = textField(WEB_ADDRESS_LENGTH);

export const newWebhook = signedCall.extend({ url: webAddress });

export const webhookChanges = signedCall
  .extend({ url: optionalField(webAddress), enabled: optionalField(z.boolean({ error: "Send true or false." })) })
  .refine((changes) => changes.url !== undefined || changes.enabled !== undefined, {
    error: "Send at least one of url, enabled.",
  });

const AFTER_WORDS = "Send the number of the event after which deliveries start, or 0 for all events that are kept.";

const afterNumber = z.int({ error: AFTER_WORDS }).min(0);

export const replay = signedCall.extend({ after: afterNumber });

const ADDRESS = {
  description:
    "The address for deliveries: `https`, the default port and a public host name, without IP address, user, password and " +
    "fragment. A gateway that is called on `localhost` accepts `http://localhost:PORT`.",
  format: "uri",
  examples: ["https://books.example.com/hooks/payment"],
};

const OTHER_KINDS =
  "It must not have a `transType`, `deviceId`, `referenceId`, `key`, `terminalId`, `type` or `statusCode`, which mark " +
  "other kinds of signed messages.";

describeMessages(({ said, requestSchema, signed, WEBHOOK_EXAMPLES: examples }) => ({
  NewWebhook: requestSchema(
    newWebhook,
    { ...signed.callNotes(examples.add.call), url: ADDRESS },
    said(`A new endpoint. ${OTHER_KINDS}`, examples.add),
  ),
  WebhookChanges: requestSchema(
    webhookChanges,
    {
      ...signed.callNotes(examples.change.call),
      url: { ...ADDRESS, description: `${ADDRESS.description} Default: no change.` },
      enabled: said(
        "true: deliver, and restart the schedule of retries. false: deliver nothing. Default: no change.",
        true,
      ),
    },
    {
      description: `The changes, at least one of \`url\` and \`enabled\`. ${OTHER_KINDS}`,
      not: { properties: { url: { enum: [null, ""] }, enabled: { enum: [null, ""] } } },
      examples: [examples.change],
    },
  ),
  SignedCall: requestSchema(
    signedCall,
    signed.callNotes(examples.secret.call),
    said(`A signed call without other members. ${OTHER_KINDS}`, examples.secret),
  ),
  WebhookReplay: requestSchema(
    replay,
    {
      ...signed.callNotes(examples.replay.call),
      after: said("Deliveries start after the event with this number; 0: with the oldest event that is kept.", 41),
    },
    said(`Where to start. ${OTHER_KINDS}`, examples.replay),
  ),
}));
