/** The account's transactions. */
import { listed } from "../../account/recording.ts";
import { accountStub } from "../../account/stub.ts";
import type { AccountTransaction } from "../../protocol/events.ts";
import { terminalStub } from "../../terminal/stub.ts";
import type { KeptEntry, OwnTransaction } from "../../terminal/transfer-calls.ts";
import { isoWithOffset } from "../../time/zone.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import { csvAnswer, csvOf, wantsCsv } from "../csv.ts";
import { type Refusal, refuse } from "../errors.ts";
import { noQuery, path, query } from "../validation/validators.ts";
import { listedTransactions } from "./list.ts";
import { transactionPath, transactionsQuery } from "./requests.ts";
import type { TransactionList, WholeTransaction } from "./responses.ts";

export const transactions = factory.createApp();

/** Another account's transaction looks like one that does not exist. */
const NOT_FOUND: Refusal = { kind: "not_found", message: "The account has no such transaction on this terminal." };

transactions.get("/api/transactions", requireAccount, query(transactionsQuery), async (c) => {
  const { posId, timezone } = c.get("account");
  const list = await listedTransactions(c.env, { posId, timezone }, c.req.valid("query"));
  if (!wantsCsv(c)) return c.json(list satisfies TransactionList);
  return csvAnswer(c, csvOf(COLUMNS, list.data.map(rowOf)), list.next);
});

transactions.get(
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
    const { referenceId } = own.entry.transaction;
    const filters = { day: null, deviceId: null, statusCode: null, transType: null, referenceId };
    const recorded = await account.transactions({ filters, before: null, limit: 1 });
    const known =
      recorded.kind === "page" ? recorded.data.find((one) => one.requestId === String(requestId)) : undefined;
    return c.json(whole(own, known, timezone) satisfies WholeTransaction);
  },
);

/** @param known the account's record; undefined if there is none yet */
function whole(
  { entry, journal, outcome }: OwnTransaction,
  known: AccountTransaction | undefined,
  timezone: string,
): WholeTransaction {
  const { state, pendingReason, attempt, cancelled, endsAt, stages, conflicts, evidence } = journal;
  const { softwareVersion, terminalSn, transData } = outcome;
  const kept = (entries: KeptEntry[]) => entries.map(({ at, report }) => ({ at: isoWithOffset(at, timezone), report }));
  return {
    ...listed(entry, known?.day ?? null, known?.voidedBy ?? null, timezone),
    state,
    pendingReason,
    attempt,
    cancelled,
    endsAt: isoWithOffset(endsAt, timezone),
    softwareVersion,
    terminalSn,
    // The check of the result has ensured this shape.
    transData: (transData as WholeTransaction["transData"]) ?? null,
    stages: stages.map(({ stage, at }) => ({ stage, at: isoWithOffset(at, timezone) })),
    conflicts: kept(conflicts),
    evidence: kept(evidence),
  };
}

const COLUMNS = [
  "requestId",
  "transType",
  "deviceId",
  "merchantId",
  "referenceId",
  "statusCode",
  "responseCode",
  "responseText",
  "completedBy",
  "receivedAt",
  "completedAt",
  "day",
  "transAmt",
  "cashAmt",
  "currency",
  "paymentMethod",
  "paymentChannel",
  "cardNo",
  "invNo",
  "batchNo",
  "tid",
  "mid",
  "rrn",
  "apprCode",
  "transDateTime",
  "transId",
  "voidedBy.requestId",
  "voidedBy.referenceId",
] as const;

function rowOf({ voidedBy, ...transaction }: AccountTransaction) {
  return {
    ...transaction,
    "voidedBy.requestId": voidedBy?.requestId ?? null,
    "voidedBy.referenceId": voidedBy?.referenceId ?? null,
  };
}
