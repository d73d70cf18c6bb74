/** Transactions of all accounts that are 22. */
import { decimal } from "../../../account/amounts.ts";
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import type { UnsettledTransaction } from "../../../protocol/overview.ts";
import { listUnsettled, type UnsettledCopy, type UnsettledRow } from "../../../storage/unsettled.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { pageOf } from "../../pages.ts";
import { query } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { unsettledQuery } from "./requests.ts";
import type { UnsettledPage } from "./responses.ts";

export const unsettled = operatorFactory.createApp();

unsettled.get("/operator/unsettled", query(unsettledQuery), async (c) => {
  const { cursor = null, limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listUnsettled(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(pageOf(found, limit, keyOf, view) satisfies UnsettledPage);
});

function keyOf({ receivedAt, requestId, posId }: UnsettledRow): string {
  return `${receivedAt}-${requestId}-${posId}`;
}

function view({
  posId,
  requestId,
  receivedAt,
  currency,
  transAmt,
  body,
  shopName,
}: UnsettledRow): UnsettledTransaction {
  const copy = JSON.parse(body) as Omit<UnsettledCopy, "receivedAt" | "currency" | "transAmt">;
  const { terminalId, referenceId, transType, responseCode, responseText, cashAmt } = copy;
  return {
    requestId: String(requestId),
    posId,
    terminalId,
    shopName,
    referenceId,
    transType,
    responseCode,
    responseText,
    transAmt: transAmt === null ? null : decimal(transAmt),
    cashAmt: cashAmt === null ? null : decimal(cashAmt),
    currency,
    receivedAt: isoWithOffset(receivedAt, "UTC"),
  };
}
