import * as z from "zod";
import { NAME_LENGTH } from "../../../protocol/lengths.ts";
import { merchantId, timezone, upTo } from "../../../protocol/schemas/fields.ts";
import { createdAt, pageSchema } from "../responses.ts";

export const shop = z
  .object({
    merchantId,
    name: upTo(NAME_LENGTH, "The shop's name, for people.", "Corner shop"),
    timezone,
    createdAt,
  })
  .meta({ description: "A shop: the name and time zone of a merchant." });

export const shopPage = pageSchema(shop, "Shops, ordered by merchantId.");

export type ShopAnswer = z.infer<typeof shop>;
export type ShopPage = z.infer<typeof shopPage>;
