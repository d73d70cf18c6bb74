/** Nothing is netted: voids are lines of their own. */
import * as z from "zod";
import { DETAIL_LENGTHS } from "../lengths.ts";
import { TRANSACTION_TYPES } from "../transfer-types.ts";
import {
  countField,
  currency,
  DAY_PATTERN,
  object,
  patternField,
  terminalId,
  timeField,
  timezone,
  boundedField,
} from "./fields.ts";

/** A sum may have more digits than one amount. */
const SUM = /^(?:0|[1-9][0-9]{0,14})\.[0-9]{2}$/;

export const totalsLine = object("The transactions of one currency, type and channel.", {
  currency,
  transType: z.enum(TRANSACTION_TYPES).meta({ description: "Voids have their own lines and are not subtracted." }),
  paymentChannel: boundedField(
    DETAIL_LENGTHS.paymentChannel,
    "The card scheme or the wallet; null if neither request nor result has one.",
    "VISA",
  ).nullable(),
  approved: object("Completed `00`.", {
    count: countField("The number of transactions.", 41),
    transAmt: patternField(SUM, "The sum of `transAmt`.", "1204.50"),
    cashAmt: patternField(SUM, "The sum of `cashAmt`.", "50.00"),
  }),
  notApproved: object("Completed `11`.", { count: countField("The number of transactions.", 2) }),
});

export const dayTotals = object("What a business day adds up to.", {
  day: patternField(DAY_PATTERN, "The business day.", "2026-11-20"),
  timezone,
  closed: z.boolean().meta({ description: "A closed day's totals never change." }),
  closesAt: timeField("When the day closes, or was due to."),
  deviceId: terminalId.nullable().meta({ description: "The terminal that it is about; null: the whole account." }),
  pending: z
    .object({
      count: countField("The number of transactions.", 1),
      transAmt: patternField(SUM, "The sum; null if several currencies are open.", "8.90").nullable(),
    })
    .nullable()
    .meta({ description: "On the open day, everything that is `22` now; null on a closed day." }),
  data: z.array(totalsLine).meta({ description: "The lines; empty if nothing was completed." }),
});
