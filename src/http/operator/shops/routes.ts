/** Shops: names and time zones of merchants. Transfers do not use them. */
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import { deleteShop, findShop, listShops, putShop, type Shop } from "../../../storage/shops.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { refuse, type Refusal } from "../../errors.ts";
import type { Done } from "../../openapi/fields.ts";
import { body, noQuery, path, query } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { pageOf } from "../../pages.ts";
import { shopDetails, shopPath, shopQuery } from "./requests.ts";
import type { ShopAnswer, ShopPage } from "./responses.ts";

export const shops = operatorFactory.createApp();

const NO_SHOP: Refusal = { kind: "not_found", message: "There is no such shop." };

shops.get("/operator/shops", query(shopQuery), async (c) => {
  const { cursor = "", limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listShops(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(pageOf(found, limit, ({ merchantId }) => merchantId, view) satisfies ShopPage);
});

shops.get("/operator/shops/:merchantId", noQuery, path(shopPath, NO_SHOP), async (c) => {
  const shop = await findShop(c.env.DATABASE, c.req.valid("param").merchantId);
  return shop === null ? refuse(c, NO_SHOP) : c.json(view(shop));
});

shops.put("/operator/shops/:merchantId", noQuery, path(shopPath), body(shopDetails), async (c) => {
  const { merchantId } = c.req.valid("param");
  const details = c.req.valid("json");
  const before = await findShop(c.env.DATABASE, merchantId);
  const now = Date.now();
  const shop: Shop = { merchantId, ...details, createdAt: before?.createdAt ?? now };
  await putShop(c.env.DATABASE, shop, {
    at: now,
    actor: c.get("operator"),
    action: "shop.put",
    target: merchantId,
    details,
    ...(before === null ? {} : { before: { name: before.name, timezone: before.timezone } }),
    after: details,
  });
  return c.json(view(shop), before === null ? 201 : 200);
});

shops.delete("/operator/shops/:merchantId", noQuery, path(shopPath, NO_SHOP), async (c) => {
  const { merchantId } = c.req.valid("param");
  const before = await findShop(c.env.DATABASE, merchantId);
  if (before === null) return refuse(c, NO_SHOP);
  const deleted = await deleteShop(c.env.DATABASE, merchantId, {
    at: Date.now(),
    actor: c.get("operator"),
    action: "shop.delete",
    target: merchantId,
    details: {},
    before: { name: before.name, timezone: before.timezone },
  });
  if (!deleted) return refuse(c, NO_SHOP);
  return c.json({ code: 20000, message: "The shop is deleted." } satisfies Done);
});

function view({ createdAt, ...shop }: Shop): ShopAnswer {
  return { ...shop, createdAt: isoWithOffset(createdAt, "UTC") };
}
