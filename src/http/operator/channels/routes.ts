import { forgetChannels } from "../../../transfer/channels.ts";
import { deleteChannel, listChannels, putChannel } from "../../../storage/channels.ts";
import type { Channel } from "../../../protocol/accounts.ts";
import { refuse, type Refusal } from "../../errors.ts";
import type { Done } from "../../openapi/fields.ts";
import { body, noQuery, path } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { channelDetails, channelPath } from "./requests.ts";
import type { ChannelPage } from "./responses.ts";

export const channels = operatorFactory.createApp();

const NO_CHANNEL: Refusal = { kind: "not_found", message: "There is no such channel." };

channels.get("/operator/channels", noQuery, async (c) => {
  return c.json({ data: await listChannels(c.env.DATABASE, null), next: null } satisfies ChannelPage);
});

channels.put("/operator/channels/:name", noQuery, path(channelPath), body(channelDetails), async (c) => {
  const details = c.req.valid("json");
  const channel = { ...c.req.valid("param"), ...details };
  const made = await putChannel(c.env.DATABASE, channel, {
    at: Date.now(),
    actor: c.get("operator"),
    action: "channel.put",
    target: channel.name,
    details,
  });
  forgetChannels(c.env.DATABASE);
  return c.json(channel satisfies Channel, made ? 201 : 200);
});

channels.delete("/operator/channels/:name", noQuery, path(channelPath, NO_CHANNEL), async (c) => {
  const { name } = c.req.valid("param");
  const deleted = await deleteChannel(c.env.DATABASE, name, {
    at: Date.now(),
    actor: c.get("operator"),
    action: "channel.delete",
    target: name,
    details: {},
  });
  if (!deleted) return refuse(c, NO_CHANNEL);
  forgetChannels(c.env.DATABASE);
  return c.json({ code: 20000, message: "The channel is deleted." } satisfies Done);
});
