import { responseSchema, requestSchema } from "../../../contracts/json-schema.ts";
import { MERCHANT_ID_LENGTH } from "../../../protocol/lengths.ts";
import { type Family, inPath, queryParameters } from "../../openapi/operation.ts";
import { NAME_NOTE, PAGE_NOTES } from "../operations.ts";
import { shopDetails, shopQuery } from "./requests.ts";
import { shop, shopPage } from "./responses.ts";

const merchantId = inPath("merchantId", "The merchant.", "M-1001", { maxLength: MERCHANT_ID_LENGTH });

const NO_SHOP = "There is no such shop, or no operator is set.";

export const operatorShops: Family = {
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
  responses: { Shop: responseSchema(shop), ShopPage: responseSchema(shopPage) },
  operations: {
    "GET /operator/shops": {
      operationId: "listShops",
      summary: "List shops",
      description: "A page of shops, ordered by merchantId. Merchants without a name are not listed.",
      parameters: queryParameters(shopQuery, {
        ...PAGE_NOTES,
        merchantId: { description: "Only merchants whose merchantId starts with this.", examples: ["M-1"] },
        name: NAME_NOTE,
      }),
      answers: { 200: { description: "A page.", schema: "ShopPage" } },
    },
    "GET /operator/shops/{merchantId}": {
      operationId: "getShop",
      summary: "Read a shop",
      description: "One shop.",
      parameters: [merchantId],
      answers: { 200: { description: "The shop.", schema: "Shop" } },
      refusals: { 404: NO_SHOP },
    },
    "PUT /operator/shops/{merchantId}": {
      operationId: "putShop",
      summary: "Create or replace a shop",
      description:
        "Sets a merchant's name and time zone. They are only for lists: accounts and terminals do not change.",
      parameters: [merchantId],
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
      parameters: [merchantId],
      answers: { 200: { description: "The shop is deleted.", schema: "Done" } },
      refusals: { 404: NO_SHOP },
    },
  },
};
