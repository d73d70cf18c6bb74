import * as z from "zod";
import { terminalPath } from "../terminals/pos-terminal-calls.ts";
import { TERMINAL_ID_LENGTH } from "../../../../protocol/lengths.ts";
import { DAY_GRACE, PAGE_ROWS } from "../../../../protocol/limits.ts";
import type { DayTotals } from "../../../../protocol/totals.ts";
import { TRANSACTION_NUMBER } from "../../../../protocol/transactions.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import { date, identifier, optionalField } from "../../validation/fields.ts";
import { toAccountTransaction } from "../../../account/feed.ts";
import { accountStub, listQuestion } from "../../../account/rpc.ts";
import { formatCsv, transactionsCsv } from "../../../../protocol/csv.ts";
import type { AccountTransaction } from "../../../../protocol/events.ts";
import { terminalStub } from "../../../terminal/rpc.ts";
import type { OwnTransaction } from "../../../terminal/transfer-replies.ts";
import { requireAccount } from "../../middleware/authentication.ts";
import { factory } from "../../middleware/context.ts";
import { csvAnswer, wantsCsv } from "../../middleware/csv.ts";
import { type Refusal, refuse } from "../../middleware/errors.ts";
import { noQuery, path, query } from "../../validation/validators.ts";
import { journalView, listAccountTransactions, transactionsQuery } from "./list.ts";
import type { TransactionList, WholeTransaction } from "../../../../protocol/schemas/transactions.ts";
import { describeCall } from "../../middleware/describe.ts";

export const transactionPath = z.object({
  ...terminalPath.shape,
  requestId: z.string().regex(TRANSACTION_NUMBER).transform(Number),
});

const totalsQuery = z.object({ day: optionalField(date), deviceId: optionalField(identifier(TERMINAL_ID_LENGTH)) });

export const posTransactionCalls = factory.createApp();

/** The same answer serves another account's transaction. */
const NOT_FOUND: Refusal = { kind: "not_found", message: "The account has no such transaction on this terminal." };

posTransactionCalls.get("/api/transactions", requireAccount, query(transactionsQuery), async (c) => {
  const { posId, timezone } = c.get("account");
  const list = await listAccountTransactions(c.env, { posId, timezone }, c.req.valid("query"));
  if (!wantsCsv(c)) return c.json(list satisfies TransactionList);
  return csvAnswer(c, transactionsCsv(list.data), list.next);
});

describeCall(posTransactionCalls, ({ said, listAnswer, EVENT_EXAMPLES }) => ({
  tag: "Transactions",
  operationId: "listAccountTransactions",
  summary: "List the account's transactions",
  description:
    "The transactions of all the account's terminals, newest first: by completion or, while they are open, by their latest " +
    "event. A transaction appears when it is completed, or after a `22` was returned; with `referenceId` you find it " +
    "immediately. Kept for 400 days. Send `next` as `cursor` until it is null: a page may be short.",
  query: {
    day: said("Only transactions of this business day.", "2026-11-20"),
    deviceId: said("Only transactions of this terminal.", "T-1001"),
    statusCode: said("Only transactions with this status. `22`: everything pending.", "22"),
    transType: said("Only transactions of this type.", "sale"),
    referenceId: said("Only the transaction with this reference.", "20261120-0042"),
    cursor: said("`next` of the previous page. Without it, the newest page.", "1041"),
    limit: {
      description: `Rows per page. Default: ${PAGE_ROWS}.`,
      schema: { type: "integer", minimum: 1, maximum: PAGE_ROWS },
      examples: [20],
    },
  },
  answers: {
    200: listAnswer(
      "A page.",
      "AccountTransactionList",
      transactionsCsv([EVENT_EXAMPLES["transaction.completed"].data]),
    ),
  },
}));

posTransactionCalls.get(
  "/api/terminals/:terminalId/transactions/:requestId",
  requireAccount,
  noQuery,
  path(transactionPath, NOT_FOUND),
  async (c) => {
    const { posId, timezone } = c.get("account");
    const { terminalId, requestId } = c.req.valid("param");
    const account = accountStub(c.env, posId);
    // A path never creates an object: only terminals that are or were the account's are called.
    if (!(await account.hasDevice(terminalId))) return refuse(c, NOT_FOUND);
    const own = await terminalStub(c.env, terminalId).ownTransaction(posId, { requestId });
    if (own === null) return refuse(c, NOT_FOUND);
    const recorded = await account.transactions(
      listQuestion({ referenceId: own.entry.transaction.referenceId }, { limit: 1 }),
    );
    const known =
      recorded.kind === "page" ? recorded.data.find((one) => one.requestId === String(requestId)) : undefined;
    return c.json(whole(own, known, timezone) satisfies WholeTransaction);
  },
);

describeCall(posTransactionCalls, () => ({
  tag: "Transactions",
  operationId: "getTransaction",
  summary: "Read one transaction",
  description:
    "One of the account's transactions with everything that is known about it, including its stages. The terminal may have " +
    "left the account since.",
  answers: {
    200: ["The transaction.", "WholeTransaction"],
    404: "The account has no such transaction on this terminal.",
  },
}));

posTransactionCalls.get("/api/totals", requireAccount, query(totalsQuery), async (c) => {
  const { day = null, deviceId = null } = c.req.valid("query");
  const dayTotals = await accountStub(c.env, c.get("account").posId).totals(day, deviceId);
  if (!wantsCsv(c)) return c.json(dayTotals satisfies DayTotals);
  return csvAnswer(c, formatCsv(COLUMNS, listLines(dayTotals)));
});

describeCall(posTransactionCalls, ({ said, listAnswer, EVENT_EXAMPLES }) => ({
  tag: "Transactions",
  operationId: "getTotals",
  summary: "Read the totals of a day",
  description:
    "Counts and sums of a business day: a date in the account's time zone. A day closes " +
    `${duration(DAY_GRACE)} after its end. Then its totals never change, and later records count for ` +
    "the next day. A past day without transactions is closed and empty.",
  query: {
    day: said("The day. Default: the open day.", "2026-11-20"),
    deviceId: said("Only this terminal. Default: all terminals.", "T-1001"),
  },
  answers: {
    200: listAnswer("The totals.", "DayTotals", formatCsv(COLUMNS, listLines(EVENT_EXAMPLES["day.closed"].data))),
  },
}));

const COLUMNS =
  "day closed deviceId currency transType paymentChannel approved.count approved.transAmt approved.cashAmt notApproved.count".split(
    " ",
  );

function listLines({ day, closed, deviceId, data }: DayTotals): object[] {
  return data.map((line) => ({ day, closed, deviceId, ...line }));
}

/** @param known the account's record; undefined if there is none yet */
function whole(
  { entry, journal, outcome }: OwnTransaction,
  known: AccountTransaction | undefined,
  timezone: string,
): WholeTransaction {
  const { softwareVersion, terminalSn, transData } = outcome;
  return {
    ...toAccountTransaction(entry, known?.day ?? null, known?.voidedBy ?? null, timezone),
    ...journalView(journal, timezone),
    softwareVersion,
    terminalSn,
    // The check of the result ensures this type, so the assertion is right.
    transData: (transData as WholeTransaction["transData"]) ?? null,
  };
}
