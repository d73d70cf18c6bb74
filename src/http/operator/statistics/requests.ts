import * as z from "zod";
import { POS_ID_LENGTH, TERMINAL_ID_LENGTH } from "../../../protocol/lengths.ts";
import { STATISTICS_BY } from "../../../protocol/statistics.ts";
import { identifier, optional, text } from "../../../validation/fields.ts";
import { pageQuery } from "../../pages.ts";
import { instantFilter } from "../filters.ts";

export const statisticsQuery = z.object({
  from: instantFilter,
  to: instantFilter,
  by: optional(z.enum(STATISTICS_BY, { error: `Send one of ${STATISTICS_BY.join(", ")}.` })),
  posId: optional(identifier(POS_ID_LENGTH)),
  terminalId: optional(identifier(TERMINAL_ID_LENGTH)),
  cursor: optional(text(POS_ID_LENGTH)),
  limit: pageQuery.shape.limit,
});
