/** A terminal's journal, and resolving manually what the terminal cannot complete itself. */
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import { terminalOfNumber } from "../../../storage/number-blocks.ts";
import { terminalStub } from "../../../terminal/stub.ts";
import type { JournalEntry, KeptEntry } from "../../../terminal/transfer-calls.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { type Refusal, refuse } from "../../errors.ts";
import { body, noQuery, path, query } from "../../validation/validators.ts";
import { accountStub } from "../../../account/stub.ts";
import { accountExists, findAccount } from "../../../storage/accounts.ts";
import { listedTransactions } from "../../transactions/list.ts";
import type { TransactionList } from "../../transactions/responses.ts";
import { accountPath } from "../accounts/requests.ts";
import { NO_ACCOUNT } from "../accounts/routes.ts";
import { operatorFactory } from "../authentication.ts";
import { numberedPageQuery, pageOf } from "../../pages.ts";
import { requireTerminal, validTerminalId } from "../terminals/lookup.ts";
import { transactionPath } from "../../transactions/requests.ts";
import { accountTransactionsQuery, resolution, transactionQuery } from "./requests.ts";
import type { FoundTransaction, TransactionAnswer, TransactionPage } from "./responses.ts";

export const transactions = operatorFactory.createApp();

const NO_TRANSACTION: Refusal = { kind: "not_found", message: "There is no such transaction." };

transactions.get("/operator/transactions", query(transactionQuery), async (c) => {
  const { transId, posId = "", referenceId = "" } = c.req.valid("query");
  const found = transId === undefined ? await byReference(c.env, posId, referenceId) : await byNumber(c.env, transId);
  return found === null ? refuse(c, NO_TRANSACTION) : c.json(found satisfies FoundTransaction);
});

async function byNumber(env: Env, transId: number): Promise<FoundTransaction | null> {
  const terminalId = await terminalOfNumber(env.DATABASE, transId);
  return terminalId === null ? null : inJournal(env, terminalId, transId);
}

/** The account's object knows which terminal has the reference. */
async function byReference(env: Env, posId: string, referenceId: string): Promise<FoundTransaction | null> {
  // D1 is asked first: an unknown posId must not create an object.
  if (!(await accountExists(env.DATABASE, posId))) return null;
  const filters = { day: null, deviceId: null, statusCode: null, transType: null, referenceId };
  const answer = await accountStub(env, posId).transactions({ filters, before: null, limit: 1 });
  if (answer.kind === "page") {
    const [recorded] = answer.data;
    return recorded === undefined ? null : inJournal(env, recorded.deviceId, Number(recorded.requestId));
  }
  const own = await terminalStub(env, answer.deviceId).ownTransaction(posId, { referenceId });
  return own === null ? null : { terminalId: answer.deviceId, transaction: view(own.journal) };
}

async function inJournal(env: Env, terminalId: string, requestId: number): Promise<FoundTransaction | null> {
  // The journal lists rows below a number, newest first.
  const { entries } = await terminalStub(env, terminalId).transactions(requestId + 1, 1);
  const [entry] = entries;
  return entry?.requestId === String(requestId) ? { terminalId, transaction: view(entry) } : null;
}

transactions.get(
  "/operator/accounts/:posId/transactions",
  query(accountTransactionsQuery),
  path(accountPath, NO_ACCOUNT),
  async (c) => {
    const account = await findAccount(c.env.DATABASE, c.req.valid("param").posId);
    if (account === null) return refuse(c, NO_ACCOUNT);
    return c.json((await listedTransactions(c.env, account, c.req.valid("query"))) satisfies TransactionList);
  },
);

transactions.get(
  "/operator/terminals/:terminalId/transactions",
  query(numberedPageQuery),
  validTerminalId,
  requireTerminal,
  async (c) => {
    const { cursor = null, limit = PAGE_ROWS } = c.req.valid("query");
    const { entries, strayResults } = await terminalStub(c.env, c.get("terminal").terminalId).transactions(
      cursor,
      limit + 1,
    );
    return c.json({
      ...pageOf({ rows: entries }, limit, ({ requestId }) => requestId, view),
      strayResults: strayResults.map(({ requestId, ...entry }) => ({ requestId, ...keptEntry(entry) })),
    } satisfies TransactionPage);
  },
);

transactions.post(
  "/operator/terminals/:terminalId/transactions/:requestId/resolve",
  noQuery,
  body(resolution),
  validTerminalId,
  requireTerminal,
  path(transactionPath, NO_TRANSACTION),
  async (c) => {
    const { terminalId, requestId } = c.req.valid("param");
    const { statusCode, reason } = c.req.valid("json");
    const outcome = await terminalStub(c.env, terminalId).resolve(requestId, statusCode, reason, c.get("operator"));
    switch (outcome.kind) {
      case "not-found":
        return refuse(c, NO_TRANSACTION);
      case "not-open":
        return refuse(c, {
          kind: "conflict",
          message: "This transaction cannot be resolved: it must be pending or past its end.",
        });
      case "resolved":
        return c.json(view(outcome.entry));
    }
  },
);

/** Times are ISO 8601 in UTC, as in all operator's calls. */
function view({
  receivedAt,
  endsAt,
  completedAt,
  stages,
  conflicts,
  evidence,
  outcome,
  ...entry
}: JournalEntry): TransactionAnswer {
  return {
    ...entry,
    // The details were checked with the result and have this shape.
    outcome: outcome as TransactionAnswer["outcome"],
    receivedAt: isoWithOffset(receivedAt, "UTC"),
    endsAt: isoWithOffset(endsAt, "UTC"),
    completedAt: completedAt === null ? null : isoWithOffset(completedAt, "UTC"),
    stages: stages.map(({ stage, at }) => ({ stage, at: isoWithOffset(at, "UTC") })),
    conflicts: kept(conflicts),
    evidence: kept(evidence),
  };
}

function kept(entries: KeptEntry[]) {
  return entries.map(keptEntry);
}

function keptEntry({ at, report }: KeptEntry) {
  return { at: isoWithOffset(at, "UTC"), report };
}
