/** What a terminal is answered over HTTP. Types only for the Worker. */
import * as z from "zod";
import { merchantId, named, posId, time } from "./fields.ts";

export const terminalToken = z
  .object({
    token: named(
      "The terminal's token, good for bind and connect.",
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.terminal",
    ),
    expiresAt: time("Five minutes from now.", "UTC"),
  })
  .meta({ description: "A token for `/terminal/bind` and `/terminal/connect`." });

export const bound = z
  .object({ posId, merchantId })
  .meta({ description: "The account that the terminal now works for." });

export type TerminalToken = z.infer<typeof terminalToken>;
export type Bound = z.infer<typeof bound>;
