import * as z from "zod";
import { CHANNEL_CURRENCIES, currencyCode, text, webAddress, zeroOrOne } from "../../../validation/fields.ts";
import { CHANNEL_NAME_LENGTH } from "../../../protocol/lengths.ts";

const CURRENCIES_WORDS = `Send an array of 1 to ${CHANNEL_CURRENCIES} currency codes.`;

export const channelPath = z.object({
  name: text(CHANNEL_NAME_LENGTH).regex(/\S/, { error: "Send a name that is not only white space." }),
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
