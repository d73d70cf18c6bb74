import * as z from "zod";
import { displayName, identifier, optional, removable, zeroOrOne } from "../../../validation/fields.ts";
import { MERCHANT_ID_LENGTH, POS_ID_LENGTH, TERMINAL_ID_LENGTH } from "../../../protocol/lengths.ts";
import { beginning, flagFilter, instantFilter, merchantFilter, nameFilter } from "../filters.ts";
import { pageQuery } from "../../pages.ts";

export const terminalQuery = z.object({
  ...pageQuery.shape,
  terminalId: beginning(TERMINAL_ID_LENGTH),
  posId: beginning(POS_ID_LENGTH),
  name: nameFilter,
  boundTo: optional(identifier(POS_ID_LENGTH)),
  merchantId: merchantFilter,
  shop: merchantFilter,
  bound: flagFilter,
  connected: flagFilter,
  status: optional(z.enum(["enrolled", "retired"], { error: "Send enrolled or retired." })),
  offlineSince: instantFilter,
});

export const terminalChanges = z
  .object({ merchantId: optional(identifier(MERCHANT_ID_LENGTH)), name: removable(displayName) })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: "Send at least one of merchantId, name.",
  });

export const newTerminal = z.object({
  terminalId: identifier(TERMINAL_ID_LENGTH),
  isVT: zeroOrOne,
  merchantId: optional(identifier(MERCHANT_ID_LENGTH)),
  name: optional(displayName),
});
