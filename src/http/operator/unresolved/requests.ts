import * as z from "zod";
import { POS_ID_LENGTH, TERMINAL_ID_LENGTH } from "../../../protocol/lengths.ts";
import { identifier, optional } from "../../../validation/fields.ts";
import { pageQuery } from "../../pages.ts";
import { instantFilter } from "../filters.ts";

const CURSOR = /^[0-9]{1,15}-[0-9]{10,15}-[A-Za-z0-9._-]{1,24}$/;

export const unresolvedQuery = z.object({
  cursor: optional(
    z
      .string()
      .regex(CURSOR, { error: "Send the cursor from the previous page." })
      .transform((value) => {
        const [receivedAt = "", requestId = "", ...posId] = value.split("-");
        return { receivedAt: Number(receivedAt), requestId: Number(requestId), posId: posId.join("-") };
      }),
  ),
  limit: pageQuery.shape.limit,
  posId: optional(identifier(POS_ID_LENGTH)),
  terminalId: optional(identifier(TERMINAL_ID_LENGTH)),
  before: instantFilter,
});
