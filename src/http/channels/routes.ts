import { listChannels } from "../../storage/channels.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import { query } from "../validation/validators.ts";
import { channelsQuery } from "./requests.ts";
import type { ChannelList } from "./responses.ts";

export const channels = factory.createApp();

channels.get("/api/ewallet-channels", requireAccount, query(channelsQuery), async (c) => {
  const data = await listChannels(c.env.DATABASE, c.req.valid("query").currency ?? null);
  return c.json({ data } satisfies ChannelList);
});
