import type { Terminal, TerminalDetails } from "../../protocol/accounts.ts";
import * as z from "zod";
import { CONNECTED_WITHIN } from "../../protocol/limits/connections.ts";
import { duration } from "../../time/duration.ts";
import { connection, isVT, terminalId } from "../openapi/fields.ts";

const connected = z.boolean().meta({
  description: `Whether the terminal is connected: its socket is open and the gateway heard from it within ${duration(CONNECTED_WITHIN)}.`,
});

export const terminal = z.object({ terminalId, connected, isVT }).meta({
  description: "A terminal of the account.",
}) satisfies z.ZodType<Terminal>;

export const terminalList = z.object({ data: z.array(terminal) }).meta({
  description: "The terminals bound to the account, sorted by id.",
  examples: [
    {
      data: [
        { terminalId: "T-1001", connected: true, isVT: 0 },
        { terminalId: "VT-1", connected: false, isVT: 1 },
      ],
    },
  ],
});

export const terminalDetails = z
  .object({
    ...terminal.shape,
    ...connection("the account's time zone"),
  })
  .meta({
    description: "A terminal of the account with its connection.",
  }) satisfies z.ZodType<TerminalDetails>;

export type TerminalList = z.infer<typeof terminalList>;
