import * as z from "zod";
import { PREBIND_ENTRIES } from "../../protocol/limits/messages.ts";
import { terminalId } from "../openapi/fields.ts";

export const prebindList = z
  .object({
    data: z.array(terminalId).meta({ description: `At most ${PREBIND_ENTRIES} terminal ids, in the order sent.` }),
  })
  .meta({ description: "The terminals on the account's prebind list.", examples: [{ data: ["T-1001", "T-1002"] }] });

export type PrebindList = z.infer<typeof prebindList>;
