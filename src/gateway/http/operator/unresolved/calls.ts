import * as z from "zod";
import { UNRESOLVED_FILTERS } from "../../../../protocol/operator-filters.ts";
import { pageOf, pageQuery } from "../../middleware/pages.ts";
import { cursorOf, filterShape } from "../filters.ts";
import { decimal } from "../../../../protocol/amounts.ts";
import { PAGE_ROWS } from "../../../../protocol/limits/messages.ts";
import { type UnresolvedCopy, type UnresolvedRow, listUnresolved } from "../../../d1/unresolved.ts";
import { isoWithOffset } from "../../../../protocol/time/zone.ts";
import { query } from "../../validation/validators.ts";
import { operatorFactory, forViewers } from "../authentication.ts";
import type { UnresolvedPage, UnresolvedTransaction } from "../../../../protocol/schemas/operator-transactions.ts";
import { PAGE_LIMIT, SHORT_PAGES, filterNotes } from "../words.ts";
import { describeCall } from "../../middleware/describe.ts";

const CURSOR = /^[0-9]{1,15}-[0-9]{10,15}-[A-Za-z0-9._-]{1,24}$/;

const unresolvedQuery = z.object({
  cursor: cursorOf(CURSOR, ([receivedAt, requestId, ...posId]) => ({
    receivedAt: Number(receivedAt),
    requestId: Number(requestId),
    posId: posId.join("-"),
  })),
  limit: pageQuery.shape.limit,
  ...filterShape(UNRESOLVED_FILTERS),
});

export const unresolved = operatorFactory.createApp();

unresolved.get("/operator/unresolved", forViewers, query(unresolvedQuery), async (c) => {
  const { cursor = null, limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listUnresolved(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(pageOf(found, limit, keyOf, view) satisfies UnresolvedPage);
});

describeCall(unresolved, () => ({
  tag: "Operator",
  operationId: "listUnresolved",
  summary: "List unresolved and contradicted transactions",
  description:
    "A page of the transactions of all accounts whose outcome is unknown, or whose terminal contradicts the recorded " +
    "outcome, oldest first. The latter are here until `POST …/close`. A `22` is here from when its " +
    "account has recorded it as `22` until it has recorded its end: normally within a second of both. It is completed by its " +
    `terminal, by an inquiry of its till, or by \`POST …/resolve\`. ${SHORT_PAGES}`,
  query: {
    cursor: {
      description: "`next` of the previous page. Without it, the oldest transactions.",
      schema: { type: "string", pattern: CURSOR.source },
      examples: ["1763633700000-1000000042-POS-1001"],
    },
    limit: PAGE_LIMIT,
    ...filterNotes(UNRESOLVED_FILTERS),
  },
  answers: { 200: ["A page.", "UnresolvedPage"] },
}));

function keyOf({ receivedAt, requestId, posId }: UnresolvedRow): string {
  return `${receivedAt}-${requestId}-${posId}`;
}

function view({
  requestId,
  receivedAt,
  transAmt,
  body,
  timezone: known,
  ...row
}: UnresolvedRow): UnresolvedTransaction {
  const { contrary, cashAmt, ...copy } = JSON.parse(body) as Omit<
    UnresolvedCopy,
    "receivedAt" | "currency" | "transAmt"
  >;
  const timezone = known ?? "UTC";
  return {
    ...row,
    ...copy,
    timezone,
    requestId: String(requestId),
    transAmt: transAmt === null ? null : decimal(transAmt),
    cashAmt: cashAmt === null ? null : decimal(cashAmt),
    receivedAt: isoWithOffset(receivedAt, timezone),
    contrary: contrary === undefined ? null : { ...contrary, reportedAt: isoWithOffset(contrary.reportedAt, timezone) },
  };
}
