/** Shops: names and time zones of merchants. Transfers do not use them. */
import * as z from "zod";
import * as answers from "./responses.ts";
import { MERCHANT_ID_LENGTH } from "../../../protocol/lengths.ts";
import { displayName, identifier, timeZoneName } from "../../../validation/fields.ts";
import { SHOP_FILTERS } from "../../../protocol/operator-filters.ts";
import { listQuery } from "../filters.ts";
import { pageOf } from "../../pages.ts";
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import { type Shop, deleteShop, findShop, listShops, putShop } from "../../../storage/shops.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { type Refusal, refuse } from "../../errors.ts";
import type { Done } from "../../../protocol/accounts.ts";
import { body, noQuery, path, query } from "../../validation/validators.ts";
import { entryBy } from "../audit/entry.ts";
import { operatorFactory } from "../authentication.ts";
import type { ShopAnswer, ShopPage } from "./responses.ts";
import { requestSchema } from "../../../contracts/json-schema.ts";
import { type Family, queryParameters } from "../../openapi/operation.ts";
import { PAGE_NOTES, filterNotes, noSuch } from "../contract.ts";
import { forAdmins, forViewers } from "../roles.ts";

export const shopPath = z.object({ merchantId: identifier(MERCHANT_ID_LENGTH) });

export const shopDetails = z.object({ name: displayName, timezone: timeZoneName });

export const shopQuery = listQuery(SHOP_FILTERS);

export const shops = operatorFactory.createApp();

const NO_SHOP: Refusal = { kind: "not_found", message: "There is no such shop." };

shops.get("/operator/shops", forViewers, query(shopQuery), async (c) => {
  const { cursor = "", limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listShops(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(pageOf(found, limit, ({ merchantId }) => merchantId, view) satisfies ShopPage);
});

shops.get("/operator/shops/:merchantId", forViewers, noQuery, path(shopPath, NO_SHOP), async (c) => {
  const shop = await findShop(c.env.DATABASE, c.req.valid("param").merchantId);
  return shop === null ? refuse(c, NO_SHOP) : c.json(view(shop));
});

shops.put("/operator/shops/:merchantId", forAdmins, noQuery, path(shopPath), body(shopDetails), async (c) => {
  const { merchantId } = c.req.valid("param");
  const details = c.req.valid("json");
  const before = await findShop(c.env.DATABASE, merchantId);
  const shop: Shop = { merchantId, ...details, createdAt: before?.createdAt ?? Date.now() };
  const replaced = before === null ? {} : { before: { name: before.name, timezone: before.timezone } };
  const entry = entryBy(c.get("operator"), "shop.put", merchantId, { details, ...replaced, after: details });
  await putShop(c.env.DATABASE, shop, entry);
  return c.json(view(shop), before === null ? 201 : 200);
});

shops.delete("/operator/shops/:merchantId", forAdmins, noQuery, path(shopPath, NO_SHOP), async (c) => {
  const { merchantId } = c.req.valid("param");
  const before = await findShop(c.env.DATABASE, merchantId);
  if (before === null) return refuse(c, NO_SHOP);
  const values = { before: { name: before.name, timezone: before.timezone } };
  const entry = entryBy(c.get("operator"), "shop.delete", merchantId, values);
  const deleted = await deleteShop(c.env.DATABASE, merchantId, entry);
  if (!deleted) return refuse(c, NO_SHOP);
  return c.json({ code: 20000, message: "The shop is deleted." } satisfies Done);
});

function view({ createdAt, ...shop }: Shop): ShopAnswer {
  return { ...shop, createdAt: isoWithOffset(createdAt, "UTC") };
}

/** What the contract says about the calls: only the build of the site calls it. */
export function operatorShopsContract(): Family {
  return {
    tag: "Operator terminals",
    caller: "operator",
    requests: {
      ShopDetails: requestSchema(
        shopDetails,
        {
          name: { description: "The shop's name, for people.", examples: ["Corner shop"] },
          timezone: { description: "Name of an IANA time zone.", examples: ["Asia/Kuala_Lumpur"] },
        },
        { description: "A shop.", examples: [{ name: "Corner shop", timezone: "Asia/Kuala_Lumpur" }] },
      ),
    },
    responses: { Shop: answers.shop, ShopPage: answers.shopPage },
    operations: {
      "GET /operator/shops": {
        operationId: "listShops",
        summary: "List shops",
        description: "A page of shops, ordered by merchantId. Merchants without a name are not listed.",
        parameters: queryParameters(shopQuery, { ...PAGE_NOTES, ...filterNotes(SHOP_FILTERS) }),
        answers: { 200: { description: "A page.", schema: "ShopPage" } },
      },
      "GET /operator/shops/{merchantId}": {
        operationId: "getShop",
        summary: "Read a shop",
        description: "One shop.",
        answers: { 200: { description: "The shop.", schema: "Shop" } },
        refusals: { 404: noSuch("shop") },
      },
      "PUT /operator/shops/{merchantId}": {
        operationId: "putShop",
        summary: "Create or replace a shop",
        description:
          "Sets a merchant's name and time zone. They are only for lists: accounts and terminals do not change.",
        body: { description: "The shop.", schema: "ShopDetails" },
        answers: {
          200: { description: "The existing shop was replaced.", schema: "Shop" },
          201: { description: "The shop is new.", schema: "Shop" },
        },
      },
      "DELETE /operator/shops/{merchantId}": {
        operationId: "deleteShop",
        summary: "Delete a shop",
        description: "Deletes a merchant's name and time zone. Its accounts and terminals do not change.",
        answers: { 200: { description: "The shop is deleted.", schema: "Done" } },
        refusals: { 404: noSuch("shop") },
      },
    },
  };
}
