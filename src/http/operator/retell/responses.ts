import * as z from "zod";

export const retold = z
  .object({
    objects: z
      .array(z.string().meta({ description: "`account:` or `terminal:`, and its id.", examples: ["account:POS-1001"] }))
      .nullable()
      .meta({ description: "The objects that write their state to D1 again; null: all of them." }),
  })
  .meta({ description: "Objects that write their state to D1 again." });

export type RetoldAnswer = z.infer<typeof retold>;
