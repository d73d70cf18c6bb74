import * as z from "zod";
import { TERMINAL_ID_LENGTH, TRANSFER_LENGTHS } from "../../protocol/lengths.ts";
import { STATUS_CODES } from "../../protocol/status-codes.ts";
import { TRANSACTION_TYPES } from "../../protocol/transfer-types.ts";
import { date, identifier, optional, text } from "../../validation/fields.ts";
import { numberedPageQuery } from "../pages.ts";
import { terminalPath } from "../terminals/requests.ts";
import { TRANSACTION_NUMBER } from "../../protocol/transactions.ts";

export const transactionsQuery = z.object({
  day: optional(date),
  deviceId: optional(identifier(TERMINAL_ID_LENGTH)),
  statusCode: optional(z.enum(STATUS_CODES, { error: `Send one of ${STATUS_CODES.join(", ")}.` })),
  transType: optional(z.enum(TRANSACTION_TYPES, { error: `Send one of ${TRANSACTION_TYPES.join(", ")}.` })),
  referenceId: optional(text(TRANSFER_LENGTHS.referenceId)),
  ...numberedPageQuery.shape,
});

export const transactionPath = z.object({
  ...terminalPath.shape,
  requestId: z.string().regex(TRANSACTION_NUMBER).transform(Number),
});
