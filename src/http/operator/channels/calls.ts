import * as z from "zod";
import { noSuch } from "../contract.ts";
import * as answers from "./responses.ts";
import { CHANNEL_CURRENCIES, currencyCode, text, webAddress, zeroOrOne } from "../../../validation/fields.ts";
import { CHANNEL_NAME_LENGTH } from "../../../protocol/lengths.ts";
import { forgetChannels } from "../../transfer/channels.ts";
import { deleteChannel, listChannels, putChannel } from "../../../storage/channels.ts";
import type { Channel } from "../../../protocol/accounts.ts";
import { type Refusal, refuse } from "../../errors.ts";
import type { Done } from "../../../protocol/accounts.ts";
import { body, noQuery, path } from "../../validation/validators.ts";
import { entryBy } from "../audit/entry.ts";
import { operatorFactory } from "../authentication.ts";
import { forAdmins, forViewers } from "../roles.ts";
import type { ChannelPage } from "./responses.ts";
import { requestSchema, schemasOf } from "../../../contracts/json-schema.ts";
import { type Family, inPath } from "../../openapi/operation.ts";

const CURRENCIES_WORDS = `Send an array of 1 to ${CHANNEL_CURRENCIES} currency codes.`;

export const channelPath = z.object({
  name: text(CHANNEL_NAME_LENGTH).regex(/\S/, { error: "Send a name that is not only white space." }),
});

export const channelDetails = z.object({
  status: zeroOrOne,
  currency: z
    .array(currencyCode, { error: CURRENCIES_WORDS })
    .min(1, { error: CURRENCIES_WORDS })
    .max(CHANNEL_CURRENCIES, { error: CURRENCIES_WORDS })
    .transform((codes) => [...new Set(codes)]),
  logoUrl3: webAddress,
});

export const channels = operatorFactory.createApp();

const NO_CHANNEL: Refusal = { kind: "not_found", message: "There is no such channel." };

channels.get("/operator/channels", forViewers, noQuery, async (c) => {
  return c.json({ data: await listChannels(c.env.DATABASE, null), next: null } satisfies ChannelPage);
});

channels.put("/operator/channels/:name", forAdmins, noQuery, path(channelPath), body(channelDetails), async (c) => {
  const details = c.req.valid("json");
  const channel = { ...c.req.valid("param"), ...details };
  const entry = entryBy(c.get("operator"), "channel.put", channel.name, { details });
  const made = await putChannel(c.env.DATABASE, channel, entry);
  forgetChannels(c.env.DATABASE);
  return c.json(channel satisfies Channel, made ? 201 : 200);
});

channels.delete("/operator/channels/:name", forAdmins, noQuery, path(channelPath, NO_CHANNEL), async (c) => {
  const { name } = c.req.valid("param");
  const deleted = await deleteChannel(c.env.DATABASE, name, entryBy(c.get("operator"), "channel.delete", name));
  if (!deleted) return refuse(c, NO_CHANNEL);
  forgetChannels(c.env.DATABASE);
  return c.json({ code: 20000, message: "The channel is deleted." } satisfies Done);
});

/** What the contract says about the calls: only the build of the site calls it. */
export function operatorChannelsContract(): Family {
  const name = inPath(
    "name",
    "The channel's name, percent-encoded.",
    "Touch 'n Go",
    schemasOf({ Path: { schema: channelPath } }, "input")["Path"]?.properties?.["name"],
  );
  return {
    tag: "Operator",
    caller: "operator",
    requests: {
      ChannelDetails: requestSchema(
        channelDetails,
        {
          status: { description: "0: inactive. 1: active.", examples: [1] },
          currency: { description: "The currencies that the channel supports.", examples: [["MYR", "SGD"]] },
          logoUrl3: {
            description: "The absolute URL of the channel's logo.",
            examples: ["https://example.com/logos/touch-n-go.png"],
          },
        },
        {
          description: "An e-wallet channel.",
          examples: [{ status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logos/touch-n-go.png" }],
        },
      ),
    },
    responses: {
      ChannelPage: answers.channelPage,
    },
    operations: {
      "GET /operator/channels": {
        operationId: "listChannels",
        summary: "List e-wallet channels",
        description: "All channels, on one page.",
        answers: { 200: { description: "The channels.", schema: "ChannelPage" } },
      },
      "PUT /operator/channels/{name}": {
        operationId: "putChannel",
        summary: "Create or replace an e-wallet channel",
        description: "Creates the channel, or replaces an existing one.",
        parameters: [name],
        body: { description: "The channel.", schema: "ChannelDetails" },
        answers: {
          200: { description: "The existing channel was replaced.", schema: "Channel" },
          201: { description: "The channel is new.", schema: "Channel" },
        },
      },
      "DELETE /operator/channels/{name}": {
        operationId: "deleteChannel",
        summary: "Delete an e-wallet channel",
        description: "Transfers that name it are refused from now on.",
        parameters: [name],
        answers: { 200: { description: "The channel is deleted.", schema: "Done" } },
        refusals: { 404: noSuch("channel") },
      },
    },
  };
}
