import * as z from "zod";
import { currencyCode, optionalField } from "../../validation/fields.ts";
import { listChannels } from "../../../d1/shops.ts";
import { requireAccount } from "../../middleware/authentication.ts";
import { factory } from "../../middleware/context.ts";
import { lenientQuery } from "../../validation/validators.ts";
import type { ChannelList } from "../../../../protocol/accounts.ts";
import { describeCall } from "../../middleware/describe.ts";

const channelsQuery = z.object({ currency: optionalField(currencyCode) });

export const channelCalls = factory.createApp();

channelCalls.get("/api/ewallet-channels", requireAccount, lenientQuery(channelsQuery), async (c) => {
  const data = await listChannels(c.env.DATABASE, c.req.valid("query").currency ?? null);
  return c.json({ data } satisfies ChannelList);
});

describeCall(channelCalls, ({ said }) => ({
  tag: "Wallets",
  operationId: "listEwalletChannels",
  summary: "List the e-wallet channels",
  description: "Returns the values of `paymentChannel` for transfers, with the currencies that each supports.",
  query: {
    currency: said(
      "Returns only channels that support this currency: three letters, in any case. Missing or empty: all channels.",
      "MYR",
    ),
  },
  answers: { 200: ["The channels.", "ChannelList"] },
}));
