/** The operator's e-wallet channels. */
import { createFactory } from "hono/factory";
import { deleteChannel, listChannels, putChannel } from "../../../storage/channels.ts";
import type { Channel } from "../../answers/account.ts";
import type { Done } from "../../answers/fields.ts";
import type { ChannelPage } from "../../answers/operator.ts";
import { invalid, readBody } from "../../body.ts";
import { refuse } from "../../errors.ts";
import { channelDetails, channelName } from "../../messages/operator.ts";
import type { OperatorEnvironment } from "../../operator.ts";
import { problemsOf } from "../../../validation/problems.ts";

export const channels = createFactory<OperatorEnvironment>().createApp();

channels.get("/operator/channels", async (c) => {
  return c.json({ data: await listChannels(c.env.DATABASE, null), next: null } satisfies ChannelPage);
});

channels.put("/operator/channels/:name", async (c) => {
  const path = channelName.safeParse(c.req.param());
  if (!path.success) return refuse(c, invalid(problemsOf(path.error)));
  const body = await readBody(c, channelDetails);
  if (!body.ok) return refuse(c, body.refusal);
  const channel = { name: path.data.name, ...body.value };
  const made = await putChannel(c.env.DATABASE, channel, {
    at: Date.now(),
    actor: c.get("operator"),
    action: "channel.put",
    target: channel.name,
    details: body.value,
  });
  return c.json(channel satisfies Channel, made ? 201 : 200);
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
  return c.json({ code: 20000, message: "The channel is deleted." } satisfies Done);
});
