/** Transfers do not use shops, which are merchants. */
import * as z from "zod";
import type { Channel } from "../../../../protocol/accounts.ts";
import { CHANNEL_NAME_LENGTH, MERCHANT_ID_LENGTH } from "../../../../protocol/lengths.ts";
import { PAGE_ROWS } from "../../../../protocol/limits.ts";
import { SHOP_FILTERS } from "../../../../protocol/operator-filters.ts";
import { entryBy } from "../../../d1/audit.ts";
import {
  deleteChannel,
  listChannels,
  putChannel,
  type ShopRow,
  deleteShop,
  findShop,
  listShops,
  putShop,
} from "../../../d1/shops.ts";
import { utc } from "../../../../protocol/time/zone.ts";
import {
  CHANNEL_CURRENCIES,
  currencyCode,
  displayName,
  identifier,
  textField,
  timeZoneName,
  webAddress,
  zeroOrOne,
} from "../../validation/fields.ts";
import { type Refusal, refuse, answerDone } from "../../middleware/errors.ts";
import { makePage } from "../../middleware/pages.ts";
import { forgetChannels } from "../../pos/transfer/channels.ts";
import { body, noQuery, path, query } from "../../validation/validators.ts";
import { forAdmins, forViewers, operatorFactory } from "../authentication.ts";
import { filterNotes, noSuch, PAGE_NOTES } from "../words.ts";
import { listQuery } from "../filters.ts";
import type { ChannelPage, ShopAnswer, ShopPage } from "../../../../protocol/schemas/operator.ts";
import { describeCall, describeMessages } from "../../middleware/describe.ts";

export const directoryCalls = operatorFactory.createApp();

const shopPath = z.object({ merchantId: identifier(MERCHANT_ID_LENGTH) });

const shopDetails = z.object({ name: displayName, timezone: timeZoneName });

const shopQuery = listQuery(SHOP_FILTERS);

const NO_SHOP: Refusal = { kind: "not_found", message: "There is no such shop." };

describeMessages(({ said, requestSchema }) => ({
  ShopDetails: requestSchema(
    shopDetails,
    {
      name: said("The shop's name, for people.", "Corner shop"),
      timezone: said("Name of an IANA time zone.", "Asia/Kuala_Lumpur"),
    },
    said("A shop.", { name: "Corner shop", timezone: "Asia/Kuala_Lumpur" }),
  ),
}));

directoryCalls.get("/operator/shops", forViewers, query(shopQuery), async (c) => {
  const { cursor = "", limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listShops(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(makePage(found, limit, ({ merchantId }) => merchantId, view) satisfies ShopPage);
});

describeCall(directoryCalls, () => ({
  tag: "Operator terminals",
  operationId: "listShops",
  summary: "List shops",
  description: "A page of shops, ordered by merchantId. Merchants without a name are not listed.",
  query: { ...PAGE_NOTES, ...filterNotes(SHOP_FILTERS) },
  answers: { 200: ["A page.", "ShopPage"] },
}));

directoryCalls.get("/operator/shops/:merchantId", forViewers, noQuery, path(shopPath, NO_SHOP), async (c) => {
  const shop = await findShop(c.env.DATABASE, c.req.valid("param").merchantId);
  return shop === null ? refuse(c, NO_SHOP) : c.json(view(shop));
});

describeCall(directoryCalls, () => ({
  tag: "Operator terminals",
  operationId: "getShop",
  summary: "Read a shop",
  description: "One shop.",
  answers: { 200: ["The shop.", "Shop"], 404: noSuch("shop") },
}));

directoryCalls.put("/operator/shops/:merchantId", forAdmins, noQuery, path(shopPath), body(shopDetails), async (c) => {
  const { merchantId } = c.req.valid("param");
  const details = c.req.valid("json");
  const before = await findShop(c.env.DATABASE, merchantId);
  const shop: ShopRow = { merchantId, ...details, createdAt: before?.createdAt ?? Date.now() };
  const replaced = before === null ? {} : { before: { name: before.name, timezone: before.timezone } };
  const entry = entryBy(c.get("operator"), "shop.put", merchantId, { details, ...replaced, after: details });
  await putShop(c.env.DATABASE, shop, entry);
  return c.json(view(shop), before === null ? 201 : 200);
});

describeCall(directoryCalls, () => ({
  tag: "Operator terminals",
  operationId: "putShop",
  summary: "Create or replace a shop",
  description: "Sets a merchant's name and time zone. They are only for lists: accounts and terminals do not change.",
  body: "The shop.",
  answers: { 200: ["The existing shop was replaced.", "Shop"], 201: ["The shop is new.", "Shop"] },
}));

directoryCalls.delete("/operator/shops/:merchantId", forAdmins, noQuery, path(shopPath, NO_SHOP), async (c) => {
  const { merchantId } = c.req.valid("param");
  const before = await findShop(c.env.DATABASE, merchantId);
  if (before === null) return refuse(c, NO_SHOP);
  const values = { before: { name: before.name, timezone: before.timezone } };
  const entry = entryBy(c.get("operator"), "shop.delete", merchantId, values);
  const deleted = await deleteShop(c.env.DATABASE, merchantId, entry);
  if (!deleted) return refuse(c, NO_SHOP);
  return answerDone(c, "The shop is deleted.");
});

describeCall(directoryCalls, () => ({
  tag: "Operator terminals",
  operationId: "deleteShop",
  summary: "Delete a shop",
  description: "Deletes a merchant's name and time zone. Its accounts and terminals do not change.",
  answers: { 200: ["The shop is deleted.", "Done"], 404: noSuch("shop") },
}));

function view({ createdAt, ...shop }: ShopRow): ShopAnswer {
  return { ...shop, createdAt: utc(createdAt) };
}

const CURRENCIES_WORDS = `Send an array of 1 to ${CHANNEL_CURRENCIES} currency codes.`;

const channelPath = z.object({
  name: textField(CHANNEL_NAME_LENGTH).regex(/\S/, { error: "Send a name that is not only white space." }),
});

const channelDetails = z.object({
  status: zeroOrOne,
  currency: z
    .array(currencyCode, { error: CURRENCIES_WORDS })
    .min(1)
    .max(CHANNEL_CURRENCIES)
    .transform((codes) => [...new Set(codes)]),
  logoUrl3: webAddress,
});

describeMessages(({ said, requestSchema }) => ({
  ChannelDetails: requestSchema(
    channelDetails,
    {
      status: said("0: inactive. 1: active.", 1),
      currency: said("The currencies that the channel supports.", ["MYR", "SGD"]),
      logoUrl3: said("The absolute URL of the channel's logo.", "https://example.com/logos/touch-n-go.png"),
    },
    said("An e-wallet channel.", {
      status: 1,
      currency: ["MYR"],
      logoUrl3: "https://example.com/logos/touch-n-go.png",
    }),
  ),
}));

const NO_CHANNEL: Refusal = { kind: "not_found", message: "There is no such channel." };

directoryCalls.get("/operator/channels", forViewers, noQuery, async (c) => {
  return c.json({ data: await listChannels(c.env.DATABASE, null), next: null } satisfies ChannelPage);
});

describeCall(directoryCalls, () => ({
  tag: "Operator",
  operationId: "listChannels",
  summary: "List e-wallet channels",
  description: "All channels, on one page.",
  answers: { 200: ["The channels.", "ChannelPage"] },
}));

directoryCalls.put(
  "/operator/channels/:name",
  forAdmins,
  noQuery,
  path(channelPath),
  body(channelDetails),
  async (c) => {
    const details = c.req.valid("json");
    const channel = { ...c.req.valid("param"), ...details };
    const entry = entryBy(c.get("operator"), "channel.put", channel.name, { details });
    const made = await putChannel(c.env.DATABASE, channel, entry);
    forgetChannels(c.env.DATABASE);
    return c.json(channel satisfies Channel, made ? 201 : 200);
  },
);

describeCall(directoryCalls, () => ({
  tag: "Operator",
  operationId: "putChannel",
  summary: "Create or replace an e-wallet channel",
  description: "Creates the channel, or replaces an existing one.",
  body: "The channel.",
  answers: { 200: ["The existing channel was replaced.", "Channel"], 201: ["The channel is new.", "Channel"] },
}));

directoryCalls.delete("/operator/channels/:name", forAdmins, noQuery, path(channelPath, NO_CHANNEL), async (c) => {
  const { name } = c.req.valid("param");
  const deleted = await deleteChannel(c.env.DATABASE, name, entryBy(c.get("operator"), "channel.delete", name));
  if (!deleted) return refuse(c, NO_CHANNEL);
  forgetChannels(c.env.DATABASE);
  return answerDone(c, "The channel is deleted.");
});

describeCall(directoryCalls, () => ({
  tag: "Operator",
  operationId: "deleteChannel",
  summary: "Delete an e-wallet channel",
  description: "Transfers that name it are refused from now on.",
  answers: { 200: ["The channel is deleted.", "Done"], 404: noSuch("channel") },
}));
