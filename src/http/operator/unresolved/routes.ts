/** Transactions of all accounts that are 22. */
import { decimal } from "../../../account/amounts.ts";
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import type { UnresolvedTransaction } from "../../../protocol/overview.ts";
import { listUnresolved, type UnresolvedCopy, type UnresolvedRow } from "../../../storage/unresolved.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { pageOf } from "../../pages.ts";
import { query } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { unresolvedQuery } from "./requests.ts";
import type { UnresolvedPage } from "./responses.ts";

export const unresolved = operatorFactory.createApp();

unresolved.get("/operator/unresolved", query(unresolvedQuery), async (c) => {
  const { cursor = null, limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listUnresolved(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(pageOf(found, limit, keyOf, view) satisfies UnresolvedPage);
});

function keyOf({ receivedAt, requestId, posId }: UnresolvedRow): string {
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
}: UnresolvedRow): UnresolvedTransaction {
  const copy = JSON.parse(body) as Omit<UnresolvedCopy, "receivedAt" | "currency" | "transAmt">;
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
