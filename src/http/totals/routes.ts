/** What the account's business days add up to. */
import { accountStub } from "../../account/stub.ts";
import type { DayTotals } from "../../protocol/totals.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import { csvAnswer, csvOf, wantsCsv } from "../csv.ts";
import { query } from "../validation/validators.ts";
import { totalsQuery } from "./requests.ts";

export const totals = factory.createApp();

totals.get("/api/totals", requireAccount, query(totalsQuery), async (c) => {
  const { day = null, deviceId = null } = c.req.valid("query");
  const told = await accountStub(c.env, c.get("account").posId).totals(day, deviceId);
  if (!wantsCsv(c)) return c.json(told satisfies DayTotals);
  return csvAnswer(c, csvOf(COLUMNS, rowsOf(told)));
});

const COLUMNS = [
  "day",
  "closed",
  "deviceId",
  "currency",
  "transType",
  "paymentChannel",
  "approved.count",
  "approved.transAmt",
  "approved.cashAmt",
  "notApproved.count",
] as const;

function rowsOf({ day, closed, deviceId, data }: DayTotals) {
  return data.map(({ currency, transType, paymentChannel, approved, notApproved }) => ({
    day,
    closed,
    deviceId,
    currency,
    transType,
    paymentChannel,
    "approved.count": approved.count,
    "approved.transAmt": approved.transAmt,
    "approved.cashAmt": approved.cashAmt,
    "notApproved.count": notApproved.count,
  }));
}
