/** The operator's e-wallet channels. */
import { createFactory } from "hono/factory";
import * as z from "zod";
import { deleteChannel, listChannels, putChannel } from "../../../storage/channels.ts";
import { invalid, readBody } from "../../body.ts";
import { refuse } from "../../errors.ts";
import {
  CHANNEL_NAME_LENGTH,
  CHANNEL_CURRENCIES,
  currencyCode,
  text,
  webAddress,
  zeroOrOne,
} from "../../../validation/fields.ts";
import type { OperatorEnvironment } from "../../operator.ts";
import { problemsOf } from "../../../validation/problems.ts";

const CURRENCIES_WORDS = `Send an array of 1 to ${CHANNEL_CURRENCIES} currency codes.`;

const channelBody = z.object({
  status: zeroOrOne,
  currency: z
    .array(currencyCode, { error: CURRENCIES_WORDS })
    .min(1, { error: CURRENCIES_WORDS })
    .max(CHANNEL_CURRENCIES, { error: CURRENCIES_WORDS })
    .transform((codes) => [...new Set(codes)]),
  logoUrl3: webAddress,
});

const channelPath = z.object({
  name: text(CHANNEL_NAME_LENGTH).refine((name) => name.trim() !== "", {
    error: "Send a name that is more than white space.",
  }),
});

export const channels = createFactory<OperatorEnvironment>().createApp();

channels.get("/operator/channels", async (c) => {
  return c.json({ data: await listChannels(c.env.DATABASE, null), next: null });
});

channels.put("/operator/channels/:name", async (c) => {
  const path = channelPath.safeParse(c.req.param());
  if (!path.success) return refuse(c, invalid(problemsOf(path.error)));
  const body = await readBody(c, channelBody);
  if (!body.ok) return refuse(c, body.refusal);
  const channel = { name: path.data.name, ...body.value };
  const made = await putChannel(c.env.DATABASE, channel, {
    at: Date.now(),
    actor: c.get("operator"),
    action: "channel.put",
    target: channel.name,
    details: body.value,
  });
  return c.json(channel, made ? 201 : 200);
});

channels.delete("/operator/channels/:name", async (c) => {
  const name = c.req.param("name");
  const deleted = await deleteChannel(c.env.DATABASE, name, {
    at: Date.now(),
    actor: c.get("operator"),
    action: "channel.delete",
    target: name,
    details: {},
  });
  if (!deleted) return refuse(c, { kind: "not_found", message: "There is no such channel." });
  return c.json({ code: 20000, message: "The channel is deleted." });
});
