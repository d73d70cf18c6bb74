import type { BindKey } from "../../protocol/accounts.ts";
import * as z from "zod";
import { BIND_KEY_LIFE } from "../../protocol/limits/keys.ts";
import { duration } from "../../time/duration.ts";
import { time } from "../openapi/fields.ts";

export const bindKey = z
  .object({
    key: z
      .string()
      .regex(/^[0-9A-HJKMNP-TV-Z]{8}$/)
      .meta({
        description: "Eight characters of Crockford's base32, typed in any case. Valid for one terminal, once.",
        examples: ["7K3Q9ZXM"],
      }),
    expiresAt: time(`${duration(BIND_KEY_LIFE)} from now.`, "the account's time zone"),
  })
  .meta({ description: "A key that binds a terminal to the account." }) satisfies z.ZodType<BindKey>;
