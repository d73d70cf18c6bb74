import * as z from "zod";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { date, identifier, optional } from "../../validation/fields.ts";
import { accountStub } from "../../rpc/account.ts";
import type { DayTotals } from "../../protocol/totals.ts";
import { requireAccount } from "../authentication.ts";
import { EVENT_EXAMPLES } from "../events/examples.ts";
import { factory } from "../context.ts";
import { csvOf } from "../../protocol/csv.ts";
import { csvAnswer, wantsCsv } from "../csv.ts";
import { query } from "../validation/validators.ts";
import { DAY_GRACE } from "../../protocol/limits/days.ts";
import { duration } from "../../time/duration.ts";
import { type Family, listAnswer, queryParameters } from "../openapi/operation.ts";

const totalsQuery = z.object({ day: optional(date), deviceId: optional(identifier(TERMINAL_ID_LENGTH)) });

export const totals = factory.createApp();

totals.get("/api/totals", requireAccount, query(totalsQuery), async (c) => {
  const { day = null, deviceId = null } = c.req.valid("query");
  const told = await accountStub(c.env, c.get("account").posId).totals(day, deviceId);
  if (!wantsCsv(c)) return c.json(told satisfies DayTotals);
  return csvAnswer(c, csvOf(COLUMNS, linesOf(told)));
});

const COLUMNS =
  "day closed deviceId currency transType paymentChannel approved.count approved.transAmt approved.cashAmt notApproved.count".split(
    " ",
  );

function linesOf({ day, closed, deviceId, data }: DayTotals): object[] {
  return data.map((line) => ({ day, closed, deviceId, ...line }));
}

export function totalsContract(): Family {
  return {
    tag: "Transactions",
    caller: "access",
    operations: {
      "GET /api/totals": {
        operationId: "getTotals",
        summary: "Read the totals of a day",
        description:
          "Counts and sums of a business day: a date in the account's time zone. A day closes " +
          `${duration(DAY_GRACE)} after its end. Then its totals never change, and later records count for ` +
          "the next day. A past day without transactions is closed and empty.",
        parameters: queryParameters(totalsQuery, {
          day: { description: "The day. Default: the open day.", examples: ["2026-11-20"] },
          deviceId: { description: "Only this terminal. Default: all terminals.", examples: ["T-1001"] },
        }),
        answers: {
          200: listAnswer("The totals.", "DayTotals", csvOf(COLUMNS, linesOf(EVENT_EXAMPLES["day.closed"].data))),
        },
      },
    },
  };
}
