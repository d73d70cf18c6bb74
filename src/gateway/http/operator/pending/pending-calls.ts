import * as z from "zod";
import { PENDING_FILTERS } from "../../../../protocol/operator-filters.ts";
import { makePage, pageQuery } from "../../middleware/pages.ts";
import { defineCursor, filterShape } from "../filters.ts";
import { decimal } from "../../../../protocol/amounts.ts";
import { PAGE_ROWS } from "../../../../protocol/limits.ts";
import { type PendingCopy, type PendingRow, listPending } from "../../../d1/pending.ts";
import { isoWithOffset } from "../../../../protocol/time/zone.ts";
import { query } from "../../validation/validators.ts";
import { operatorFactory, forViewers } from "../authentication.ts";
import type { PendingPage, PendingTransaction } from "../../../../protocol/schemas/operator-transactions.ts";
import { PAGE_LIMIT, SHORT_PAGES, filterNotes } from "../words.ts";
import { describeCall } from "../../middleware/describe.ts";

const CURSOR = /^[0-9]{1,15}-[0-9]{10,15}-[A-Za-z0-9._-]{1,24}~[A-Za-z0-9._-]{1,100}$/;

const pendingQuery = z.object({
  cursor: defineCursor(CURSOR, ([receivedAt, requestId, ...ids]) => {
    const [posId = "", terminalId = ""] = ids.join("-").split("~");
    return { receivedAt: Number(receivedAt), requestId: Number(requestId), posId, terminalId };
  }),
  limit: pageQuery.shape.limit,
  ...filterShape(PENDING_FILTERS),
});

export const pendingCalls = operatorFactory.createApp();

pendingCalls.get("/operator/pending", forViewers, query(pendingQuery), async (c) => {
  const { cursor = null, limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listPending(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(makePage(found, limit, keyOf, view) satisfies PendingPage);
});

describeCall(pendingCalls, () => ({
  tag: "Operator payments",
  operationId: "listPending",
  summary: "List pending and contradicted transactions",
  description:
    "A page of the transactions of all accounts whose outcome is unknown, or whose terminal contradicts the recorded " +
    "outcome, oldest first. The latter are here until `POST …/close`. A `22` is here from when its " +
    "account has recorded it as `22` until it has recorded its end: normally within a second of both. It is completed by its " +
    `terminal, by an inquiry of its POS, or by \`POST …/resolve\`. ${SHORT_PAGES}`,
  query: {
    cursor: {
      description: "`next` of the previous page. Without it, the oldest transactions.",
      schema: { type: "string", pattern: CURSOR.source },
      examples: ["1763633700000-1000000042-POS-1001~term-7"],
    },
    limit: PAGE_LIMIT,
    ...filterNotes(PENDING_FILTERS),
  },
  answers: { 200: ["A page.", "PendingPage"] },
}));

function keyOf({ receivedAt, requestId, posId, terminalId }: PendingRow): string {
  return `${receivedAt}-${requestId}-${posId}~${terminalId}`;
}

function view({ requestId, receivedAt, transAmt, body, timezone: known, ...row }: PendingRow): PendingTransaction {
  const { conflict, cashAmt, ...copy } = JSON.parse(body) as Omit<PendingCopy, "receivedAt" | "currency" | "transAmt">;
  const timezone = known ?? "UTC";
  return {
    ...row,
    ...copy,
    timezone,
    requestId: String(requestId),
    transAmt: transAmt === null ? null : decimal(transAmt),
    cashAmt: cashAmt === null ? null : decimal(cashAmt),
    receivedAt: isoWithOffset(receivedAt, timezone),
    conflict: conflict === undefined ? null : { ...conflict, reportedAt: isoWithOffset(conflict.reportedAt, timezone) },
  };
}
