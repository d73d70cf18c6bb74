/** What an operator sends. */
import * as z from "zod";
import { PASSWORD_CHARACTERS, PASSWORD_LONGEST } from "../../limits.ts";
import { maskCardNumbers } from "../../terminal/card-data.ts";
import {
  CHANNEL_CURRENCIES,
  CHANNEL_NAME_LENGTH,
  currencyCode,
  identifier,
  MERCHANT_ID_LENGTH,
  NAME_LENGTH,
  optional,
  password,
  POS_ID_LENGTH,
  TERMINAL_ID_LENGTH,
  text,
  timeZoneName,
  webAddress,
  zeroOrOne,
} from "../../validation/fields.ts";

const CURRENCIES_WORDS = `Send an array of 1 to ${CHANNEL_CURRENCIES} currency codes.`;

export const newAccount = z.object({
  posId: identifier(POS_ID_LENGTH),
  password: password(PASSWORD_CHARACTERS, PASSWORD_LONGEST),
  merchantId: identifier(MERCHANT_ID_LENGTH),
  currency: currencyCode,
  timezone: timeZoneName,
  name: optional(text(NAME_LENGTH)),
});

export const accountChanges = z
  .object({
    status: optional(z.enum(["active", "suspended"], { error: "Send active or suspended." })),
    password: optional(password(PASSWORD_CHARACTERS, PASSWORD_LONGEST)),
    merchantId: optional(identifier(MERCHANT_ID_LENGTH)),
    currency: optional(currencyCode),
    timezone: optional(timeZoneName),
    name: optional(text(NAME_LENGTH)),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: "Send at least one of status, password, merchantId, currency, timezone, name.",
  });

export const keyRotation = z.object({ revokePrevious: optional(z.boolean({ error: "Send true or false." })) });

export const newTerminal = z.object({
  terminalId: identifier(TERMINAL_ID_LENGTH),
  isVT: zeroOrOne,
  merchantId: optional(identifier(MERCHANT_ID_LENGTH)),
  name: optional(text(NAME_LENGTH)),
});

export const channelName = z.object({
  name: text(CHANNEL_NAME_LENGTH).regex(/\S/, { error: "Send a name that is more than white space." }),
});

export const channelDetails = z.object({
  status: zeroOrOne,
  currency: z
    .array(currencyCode, { error: CURRENCIES_WORDS })
    .min(1, { error: CURRENCIES_WORDS })
    .max(CHANNEL_CURRENCIES, { error: CURRENCIES_WORDS })
    .transform((codes) => [...new Set(codes)]),
  logoUrl3: webAddress,
});

export const resolution = z.object({
  statusCode: z.enum(["00", "11"], { error: 'Send "00" (money moved) or "11" (no money moved, and none will).' }),
  // Shown to the POS as responseText, hence its length; for people, so it may hold a card number by mistake (I6).
  reason: text(128).transform(maskCardNumbers),
});
