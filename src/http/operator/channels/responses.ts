import * as z from "zod";
import { channel } from "../../../protocol/schemas/accounts.ts";
import { pageSchema } from "../responses.ts";

export const channelPage = pageSchema(channel, "All channels, on one page.");

export type ChannelPage = z.infer<typeof channelPage>;
