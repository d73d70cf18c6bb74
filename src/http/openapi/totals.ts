/** A day's totals in requests and responses. Types only for the Worker: this file is not in its bundle. */
import * as z from "zod";
import { TRANSACTION_TYPES } from "../../protocol/transfer-types.ts";
import type { DayTotals } from "../../protocol/totals.ts";
import { DETAIL_LENGTHS } from "../../protocol/lengths.ts";
import { count, shaped, upTo } from "../../validation/described.ts";
import { currency, terminalId, time, timezone } from "./fields.ts";
import { DAY } from "./transaction.ts";

/** A sum may have more digits than one amount. */
const SUM = /^(?:0|[1-9][0-9]{0,14})\.[0-9]{2}$/;

const line = z
  .object({
    currency,
    transType: z.enum(TRANSACTION_TYPES).meta({ description: "Voids have their own lines and are not subtracted." }),
    paymentChannel: upTo(
      DETAIL_LENGTHS.paymentChannel,
      "The card scheme or the wallet; null if neither request nor result has one.",
      "VISA",
    ).nullable(),
    approved: z
      .object({
        count: count("The number of transactions.", 41),
        transAmt: shaped(SUM, "The sum of `transAmt`.", "1204.50"),
        cashAmt: shaped(SUM, "The sum of `cashAmt`.", "50.00"),
      })
      .meta({ description: "Completed `00`." }),
    notApproved: z.object({ count: count("The number of transactions.", 2) }).meta({ description: "Completed `11`." }),
  })
  .meta({ description: "The transactions of one currency, type and channel." });

export const dayTotals = z
  .object({
    day: shaped(DAY, "The business day.", "2026-11-20"),
    timezone,
    closed: z.boolean().meta({ description: "A closed day's totals never change." }),
    closesAt: time("When the day closes, or was due to.", "the account's time zone"),
    deviceId: terminalId.nullable().meta({ description: "The terminal that it is about; null: the whole account." }),
    unresolved: z
      .object({
        count: count("The number of transactions.", 1),
        transAmt: shaped(SUM, "The sum; null if several currencies are open.", "8.90").nullable(),
      })
      .nullable()
      .meta({ description: "On the open day, everything that is `22` now; null on a closed day." }),
    data: z.array(line).meta({ description: "The lines; empty if nothing was completed." }),
  })
  .meta({ description: "What a business day adds up to." }) satisfies z.ZodType<DayTotals>;
