import type { Channel } from "../../protocol/accounts.ts";
import * as z from "zod";
import { upTo } from "../../validation/described.ts";
import { CHANNEL_NAME_LENGTH, WEB_ADDRESS_LENGTH } from "../../protocol/lengths.ts";
import { currency } from "../openapi/fields.ts";

export const channel = z
  .object({
    name: upTo(CHANNEL_NAME_LENGTH, "The channel's name: the value of `paymentChannel` in a transfer.", "Touch 'n Go"),
    status: z.literal([0, 1]).meta({ description: "0: inactive. 1: active.", examples: [1] }),
    currency: z.array(currency).meta({ description: "The currencies that the channel supports." }),
    logoUrl3: upTo(WEB_ADDRESS_LENGTH, "The URL of the channel's logo.", "https://example.com/logos/touch-n-go.png"),
  })
  .meta({ description: "An e-wallet channel." }) satisfies z.ZodType<Channel>;

export const channelList = z
  .object({ data: z.array(channel) })
  .meta({ description: "The channels, sorted by name. Empty if no channel supports the currency." });

export type ChannelList = z.infer<typeof channelList>;
