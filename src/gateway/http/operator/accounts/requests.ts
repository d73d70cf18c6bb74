/** The messages with which operators create and change accounts. */
import * as z from "zod";
import { REGIONS } from "../../../../protocol/region.ts";
import { MERCHANT_ID_LENGTH, POS_ID_LENGTH } from "../../../../protocol/lengths.ts";
import { PASSWORD_CHARACTERS, PASSWORD_LONGEST, PREVIOUS_SIGNING_KEY_LIFE } from "../../../../protocol/limits.ts";
import { hasDrawnForm } from "../../../secrets/passwords.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import {
  amountCurrency,
  displayName,
  identifier,
  optionalField,
  password,
  removable,
  timeZoneName,
} from "../../validation/fields.ts";
import { describeMessages } from "../../middleware/describe.ts";
import { changesSomething, removableName } from "../words.ts";

/** An operator may set one when they migrate from another system. The gateway draws a better one. */
const newPassword = password(
  PASSWORD_CHARACTERS,
  PASSWORD_LONGEST,
  "A shorter one can be guessed, because a machine sends it and nothing but the rate limits slows down a guess. " +
    "Omit password: the gateway then creates one.",
).refine((chosen) => !hasDrawnForm(chosen), {
  error:
    "Send a password that does not look like the gateway's own (27 letters, digits, '-' or '_'): nothing limits guesses of " +
    "those. Or omit password: the gateway then creates one.",
});

export const newAccount = z.object({
  posId: identifier(POS_ID_LENGTH),
  password: optionalField(newPassword),
  merchantId: identifier(MERCHANT_ID_LENGTH),
  currency: amountCurrency,
  timezone: timeZoneName,
  name: optionalField(displayName),
  region: optionalField(z.enum(REGIONS, { error: `Send one of ${REGIONS.join(", ")}, or omit it.` })),
});

export const accountChanges = z
  .object({
    status: optionalField(z.enum(["active", "suspended"], { error: "Send active or suspended." })),
    password: optionalField(newPassword),
    merchantId: optionalField(identifier(MERCHANT_ID_LENGTH)),
    currency: optionalField(amountCurrency),
    timezone: optionalField(timeZoneName),
    name: removable(displayName),
    signedChanges: optionalField(z.boolean({ error: "Send true or false." })),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: "Send at least one of status, password, merchantId, currency, timezone, name, signedChanges.",
  });

export const keyRotation = z.object({ revokePrevious: optionalField(z.boolean({ error: "Send true or false." })) });

export const webhookSwitch = z.object({ enabled: z.boolean({ error: "Send true or false." }) });

const EXAMPLE = {
  posId: "POS-1001",
  merchantId: "M-1001",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
  name: "Corner shop, POS 1",
};

describeMessages(({ said, requestSchema }) => {
  const chosen = {
    description:
      "For a migration from another system. Any characters, counted in composed form (NFC). Stored as a keyed hash.",
    format: "password",
    examples: ["correct horse battery"],
  };
  const account = {
    merchantId: said("The merchant that the account sells for.", EXAMPLE.merchantId),
    currency: said("Of all its transfers: ISO 4217, in any case, with two decimals.", EXAMPLE.currency),
    timezone: said(
      "An IANA time zone name. Determines when the account's day ends, and `transDateTime`.",
      EXAMPLE.timezone,
    ),
    name: said("The operator's own name for it.", EXAMPLE.name),
  };
  return {
    NewAccount: requestSchema(
      newAccount,
      {
        posId: said("The account's id. It is never reused.", EXAMPLE.posId),
        ...account,
        password: {
          ...chosen,
          description: `${chosen.description} Without one, the gateway creates a password and returns it.`,
        },
        region: said(
          "The region of the account's data: a location hint of Cloudflare's Durable Objects, such as `apac` for Asia and " +
            "the Pacific. Default: near the time zone. Cannot be changed later.",
          "apac",
        ),
      },
      said("A new account.", { ...EXAMPLE, password: "correct horse battery" }),
    ),
    AccountChanges: requestSchema(
      accountChanges,
      {
        status: said(
          "A suspended account gets 403. Suspending ends its sessions and cancels its queued transactions.",
          "suspended",
        ),
        ...account,
        password: { ...chosen, description: "A new password ends the account's sessions." },
        name: removableName(EXAMPLE.name),
        signedChanges: said(
          "true: the account must sign the calls that unbind a terminal or replace its prebind list, so that a stolen " +
            "token cannot make them. false: a token is enough.",
          true,
        ),
      },
      {
        description:
          "The changes, at least one field. Missing fields do not change anything. Neither do null or empty ones, except `name`.",
        examples: [{ status: "suspended" }],
        ...changesSomething(Object.keys(accountChanges.shape)),
      },
    ),
    KeyRotation: requestSchema(
      keyRotation,
      {
        revokePrevious: said(
          `true: all previous keys end immediately. Otherwise each stays valid for ${duration(PREVIOUS_SIGNING_KEY_LIFE)}.`,
          false,
        ),
      },
      said("How the key changes.", { revokePrevious: false }),
    ),
    WebhookSwitch: requestSchema(
      webhookSwitch,
      {
        enabled: said("`false` stops the endpoint. `true` starts one that an operator has stopped.", false),
      },
      said("Stops or starts an endpoint.", { enabled: false }),
    ),
  };
});
