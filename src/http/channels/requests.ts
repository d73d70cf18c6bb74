import * as z from "zod";
import { currencyCode, optional } from "../../validation/fields.ts";

export const channelsQuery = z.object({ currency: optional(currencyCode) });
