import * as z from "zod";
import { channel } from "../../../protocol/schemas/accounts.ts";
import { next } from "../responses.ts";

export const channelPage = z
  .object({ data: z.array(channel), next })
  .meta({ description: "All channels, on one page." });

export type ChannelPage = z.infer<typeof channelPage>;
