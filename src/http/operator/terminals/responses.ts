import * as z from "zod";
import { connection, isVT, terminalId, time, upTo } from "../../../protocol/schemas/fields.ts";
import { MERCHANT_ID_LENGTH, NAME_LENGTH, POS_ID_LENGTH } from "../../../protocol/lengths.ts";
import { createdAt, pageSchema, shownOnce } from "../responses.ts";

export const terminal = z
  .object({
    terminalId,
    isVT,
    merchantId: upTo(
      MERCHANT_ID_LENGTH,
      "The merchant that the operator assigned it to, or null.",
      "M-1001",
    ).nullable(),
    name: upTo(NAME_LENGTH, "The operator's name for it, or null.", "Counter 3").nullable(),
    status: z.enum(["enrolled", "retired"]).meta({ description: "A retired terminal stays in the list permanently." }),
    posId: upTo(POS_ID_LENGTH, "The account that it is bound to, or null.", "POS-1001").nullable(),
    shopName: upTo(
      NAME_LENGTH,
      "The name of the shop of its assigned merchant, otherwise of its account's merchant; null if there is none.",
      "Corner shop",
    ).nullable(),
    connected: z.boolean().meta({ description: "Whether it is connected now." }),
    offlineSince: time(
      "When it was heard last, if it is offline; null if it is connected, or never was.",
      "UTC",
    ).nullable(),
    lastHeartbeat: time("When the gateway last heard from it; null if it never did.", "UTC").nullable(),
    createdAt,
  })
  .meta({ description: "A terminal." });

const secret = shownOnce("The terminal's secret");

export const terminalWithSecret = z
  .object({ ...terminal.shape, secret })
  .meta({ description: "A new terminal, with its secret." });

export const terminalPage = pageSchema(terminal, "Terminals, ordered by id, including retired ones.");

export const terminalDetails = z
  .object({
    ...connection("UTC"),
    ...terminal.shape,
  })
  .meta({ description: "A terminal with its connection." });

export const terminalSecret = z.object({ terminalId, secret }).meta({ description: "A terminal's new secret." });

export type TerminalAnswer = z.infer<typeof terminal>;
export type TerminalWithSecret = z.infer<typeof terminalWithSecret>;
export type TerminalPage = z.infer<typeof terminalPage>;
export type OperatorTerminalDetails = z.infer<typeof terminalDetails>;
export type TerminalSecret = z.infer<typeof terminalSecret>;
