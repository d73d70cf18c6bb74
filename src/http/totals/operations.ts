import { DAY_GRACE } from "../../protocol/limits/days.ts";
import { duration } from "../../time/duration.ts";
import { type Family, listAnswer, queryParameters } from "../openapi/operation.ts";
import { totalsQuery } from "./requests.ts";

const CSV = `day,closed,deviceId,currency,transType,paymentChannel,approved.count,approved.transAmt,approved.cashAmt,notApproved.count\r
2026-11-20,true,,MYR,sale,VISA,41,1204.50,0.00,2\r
`;

export const totals: Family = {
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
      answers: { 200: listAnswer("The totals.", "DayTotals", CSV) },
    },
  },
};
