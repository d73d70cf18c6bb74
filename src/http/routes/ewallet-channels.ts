/** The e-wallet channels. */
import { listChannels } from "../../storage/channels.ts";
import type { ChannelList } from "../answers/account.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import { channelsQuery } from "../messages/account.ts";
import { query } from "../pages.ts";

export const ewalletChannels = factory.createApp();

ewalletChannels.get("/api/ewallet-channels", requireAccount, query(channelsQuery), async (c) => {
  const data = await listChannels(c.env.DATABASE, c.req.valid("query").currency ?? null);
  return c.json({ data } satisfies ChannelList);
});
