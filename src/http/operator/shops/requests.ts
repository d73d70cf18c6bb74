import * as z from "zod";
import { MERCHANT_ID_LENGTH } from "../../../protocol/lengths.ts";
import { displayName, identifier, timeZoneName } from "../../../validation/fields.ts";
import { beginning, nameFilter } from "../filters.ts";
import { pageQuery } from "../../pages.ts";

export const shopPath = z.object({ merchantId: identifier(MERCHANT_ID_LENGTH) });

export const shopDetails = z.object({ name: displayName, timezone: timeZoneName });

export const shopQuery = z.object({
  ...pageQuery.shape,
  merchantId: beginning(MERCHANT_ID_LENGTH),
  name: nameFilter,
});
