import * as z from "zod";
import { displayName, identifier, optional, zeroOrOne } from "../../../validation/fields.ts";
import { MERCHANT_ID_LENGTH, TERMINAL_ID_LENGTH } from "../../../protocol/lengths.ts";

export const newTerminal = z.object({
  terminalId: identifier(TERMINAL_ID_LENGTH),
  isVT: zeroOrOne,
  merchantId: optional(identifier(MERCHANT_ID_LENGTH)),
  name: optional(displayName),
});
