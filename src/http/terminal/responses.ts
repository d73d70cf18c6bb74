import { TERMINAL_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import { duration } from "../../time/duration.ts";
import * as z from "zod";
import { named } from "../../validation/described.ts";
import { merchantId, posId, time } from "../openapi/fields.ts";

export const terminalToken = z
  .object({
    token: named("The terminal's token for bind and connect.", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.terminal"),
    expiresAt: time(`${duration(TERMINAL_TOKEN_LIFE)} from now.`, "UTC"),
  })
  .meta({ description: "A token for `/terminal/bind` and `/terminal/connect`." });

export const bound = z
  .object({ posId, merchantId })
  .meta({ description: "The account that the terminal now works for." });

export type TerminalToken = z.infer<typeof terminalToken>;
export type Bound = z.infer<typeof bound>;
