/** The e-wallet channels. */
import * as z from "zod";
import { listChannels } from "../../storage/channels.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import { currencyCode, optional } from "../../validation/fields.ts";
import { query } from "../pages.ts";

export const ewalletChannels = factory.createApp();

ewalletChannels.get(
  "/api/ewallet-channels",
  requireAccount,
  query(z.object({ currency: optional(currencyCode) })),
  async (c) => c.json({ data: await listChannels(c.env.DATABASE, c.req.valid("query").currency ?? null) }),
);
