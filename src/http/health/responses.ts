import * as z from "zod";

export const health = z
  .object({ status: z.literal("ok").meta({ description: "Always `ok`." }) })
  .meta({ description: "The service is up and has its secrets.", examples: [{ status: "ok" }] });

export type Health = z.infer<typeof health>;
