/** A terminal's journal, and manual resolution of what the terminal cannot complete itself. */
import * as z from "zod";
import { maskCardNumbers } from "../../../../protocol/card-data/card-numbers.ts";
import { TRANSACTION_NUMBER } from "../../../../protocol/transactions.ts";
import { REASON_LENGTH, RESULT_LENGTHS, TERMINAL_ID_LENGTH } from "../../../../protocol/lengths.ts";
import { SEARCH_FILTERS } from "../../../../protocol/operator-filters.ts";
import { optionalField, textField } from "../../validation/fields.ts";
import { transactionPath } from "../../pos/transactions/pos-transaction-calls.ts";
import { filterShape, instantFilter } from "../filters.ts";
import { ASKED_ACCOUNTS, findPayments, FOUND_PAYMENTS } from "./search.ts";
import { PAGE_ROWS } from "../../../../protocol/limits.ts";
import { terminalsOfNumber } from "../../../d1/objects.ts";
import { terminalStub } from "../../../terminal/rpc.ts";
import type { JournalEntry } from "../../../terminal/transfer-replies.ts";
import { auditAlways, entryBy, isProposed } from "../../../d1/audit.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import { HOUR } from "../../../../protocol/time/units.ts";
import { isoWithOffset } from "../../../../protocol/time/zone.ts";
import { transactionsCsv } from "../../../../protocol/csv.ts";
import { csvAnswer, wantsCsv } from "../../middleware/csv.ts";
import { type Refusal, refuse, answerDone } from "../../middleware/errors.ts";
import { body, noQuery, path, query } from "../../validation/validators.ts";
import { accountStub, listQuestion } from "../../../account/rpc.ts";
import { accountExists, findAccount, readTimezones } from "../../../d1/accounts.ts";
import { journalView, accountEntry, listAccountTransactions, transactionsQuery } from "../../pos/transactions/list.ts";
import type { TransactionList } from "../../../../protocol/schemas/transactions.ts";
import { accountPath, NO_ACCOUNT, oneAccount } from "../accounts/account-calls.ts";
import { isOn } from "../../site/consoles.ts";
import { inTime, unlessDown } from "../../middleware/time-limit.ts";
import { operatorFactory, forSupport, forViewers } from "../authentication.ts";
import { numberedPageQuery, makePage } from "../../middleware/pages.ts";
import { requireTerminal } from "../terminals/lookup.ts";
import type {
  FoundPayments,
  FoundTransaction,
  TransactionAnswer,
  TransactionPage,
} from "../../../../protocol/schemas/operator-transactions.ts";
import { filterNotes, INSTANT, noSuch, PAGE_LIMIT, NUMBERED_PAGES } from "../words.ts";
import { describeCall, describeMessages } from "../../middleware/describe.ts";
import { STATISTICS_WITHIN } from "../../../account/statistics.ts";

const NUMBER_WORDS = "Send the transaction's number: ten digits.";

const transactionQuery = z
  .object({
    transId: optionalField(z.string().regex(TRANSACTION_NUMBER, { error: NUMBER_WORDS }).transform(Number)),
    ...filterShape(SEARCH_FILTERS),
  })
  .superRefine(({ terminalId, merchantId, from = 0, to = Infinity }, context) => {
    const refuseAt = (name: string, message: string) => context.addIssue({ code: "custom", path: [name], message });
    if (terminalId !== undefined && merchantId !== undefined)
      refuseAt("merchantId", "Leave it out: terminalId names the terminal.");
    if (from >= to) refuseAt("to", "Send a time after from.");
  });

const accountTransactionsQuery = z.object({
  ...transactionsQuery.shape,
  responseCode: optionalField(textField(RESULT_LENGTHS.responseCode)),
  from: instantFilter,
  to: instantFilter,
});

export const resolution = z.object({
  statusCode: z.enum(["00", "11"], { error: 'Send "00" (money moved) or "11" (no money moved, and none will).' }),
  // The POS receives it as responseText, hence the length. People write it, so it may contain a card number by mistake
  // (I6).
  reason: textField(REASON_LENGTH).transform(maskCardNumbers),
});

export const closing = z.object({
  reason: resolution.shape.reason,
  terminalId: optionalField(textField(TERMINAL_ID_LENGTH)),
});

const accountTransactionPath = z.object({
  ...accountPath.shape,
  requestId: transactionPath.shape.requestId,
});

export const operatorTransactionCalls = operatorFactory.createApp();

const NO_TRANSACTION: Refusal = { kind: "not_found", message: "There is no such transaction." };

const NOT_OPEN: Refusal = {
  kind: "conflict",
  message: "Only a pending payment can be resolved. If this one is in progress, wait until its time is over.",
};

/** How long a proposal waits for a second operator. */
const PROPOSED_FOR = HOUR;

describeMessages(({ said, requestSchema }) => ({
  Resolution: requestSchema(
    resolution,
    {
      statusCode: said("`00`: money moved. `11`: no money moved, and none will.", "11"),
      reason: said(
        "For people. The POS gets it as `responseText`. Card numbers in it are masked.",
        "The terminal's host has no such payment.",
      ),
    },
    said("How the transaction ended.", { statusCode: "11", reason: "The terminal's host has no such payment." }),
  ),
  Closing: requestSchema(
    closing,
    {
      reason: said(
        "What was found out, for the audit log. Card numbers in it are masked.",
        "Refunded 12.50 at the acquirer.",
      ),
      terminalId: said("Only needed if more than one terminal has the number, which `message` then says.", "T-0001"),
    },
    said("Why nothing is open any more.", { reason: "Refunded 12.50 at the acquirer." }),
  ),
}));

operatorTransactionCalls.get("/operator/transactions", forViewers, query(transactionQuery), async (c) => {
  const { transId, ...filters } = c.req.valid("query");
  const { posId, referenceId } = filters;
  const isNamed = Object.values(filters).filter((value) => value !== undefined).length === 2;
  if (transId === undefined && !(isNamed && posId !== undefined && referenceId !== undefined))
    return c.json((await findPayments(c.env, filters, Date.now())) satisfies FoundPayments);
  const numbered = transId === undefined ? [] : await byNumber(c.env, transId);
  if (numbered.length > 1) return refuse(c, sharedNumber(numbered));
  const [found = null] = transId === undefined ? [await byReference(c.env, posId ?? "", referenceId ?? "")] : numbered;
  return found === null ? refuse(c, NO_TRANSACTION) : c.json(found satisfies FoundTransaction);
});

describeCall(operatorTransactionCalls, () => ({
  tag: "Operator payments",
  operationId: "findTransaction",
  summary: "Find a transaction",
  description:
    "With `transId`, or with only `posId` and `referenceId`, returns one transaction of any terminal from its journal. A 404 " +
    "then means that no terminal has used the number, or that it is older than the record of which terminal has which " +
    "numbers. With any other filter, returns the newest payments of all accounts that match, " +
    `${FOUND_PAYMENTS} at most: those that were completed in the last seven days and those that are open now. \`covered\` says ` +
    `what was searched. The database has an account's completed payments within ${duration(STATISTICS_WITHIN)}; for newer ` +
    `ones, up to ${ASKED_ACCOUNTS} accounts are asked, those that sell most first. With \`terminalId\`, the terminal's own ` +
    "journal is read: everything up to now, by default of seven days.",
  query: {
    transId: {
      description: "The transaction's number: a sale's or cashOut's `transId`, a void's `requestId`.",
      schema: { type: "string", pattern: TRANSACTION_NUMBER.source },
      examples: ["1000000042"],
    },
    ...filterNotes(SEARCH_FILTERS),
  },
  answers: {
    200: {
      description: "The transaction, or what the search has found.",
      schema: {
        oneOf: ["FoundTransaction", "FoundPayments"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
      },
    },
    404: noSuch("transaction"),
    409: "More than one terminal has this number, after a restore of the coordinator. `message` names them.",
  },
}));

/** Every terminal that has the number: more than one only after a restore of the counter to an earlier time. */
async function byNumber(env: Env, transId: number): Promise<FoundTransaction[]> {
  const terminalIds = await terminalsOfNumber(env.DATABASE, transId);
  const found = await Promise.all(terminalIds.map((terminalId) => inJournal(env, terminalId, transId)));
  return found.filter((one) => one !== null);
}

function sharedNumber(found: readonly FoundTransaction[]): Refusal {
  const terminals = found.map(({ terminalId }) => terminalId).join(" and ");
  return { kind: "conflict", message: `Terminals ${terminals} have a transaction with this number. Look there.` };
}

async function byReference(env: Env, posId: string, referenceId: string): Promise<FoundTransaction | null> {
  // D1 is asked first: an unknown posId must not create an object.
  if (!(await accountExists(env.DATABASE, posId))) return null;
  const answer = await accountStub(env, posId).transactions(listQuestion({ referenceId }, { limit: 1 }));
  if (answer.kind === "page") {
    const [recorded] = answer.data;
    return recorded === undefined ? null : inJournal(env, recorded.deviceId, Number(recorded.requestId));
  }
  const own = await terminalStub(env, answer.deviceId).ownTransaction(posId, { referenceId });
  return own === null ? null : { terminalId: answer.deviceId, transaction: await viewOne(env, own.journal) };
}

async function inJournal(env: Env, terminalId: string, requestId: number): Promise<FoundTransaction | null> {
  // The journal lists rows below a number, newest first.
  const { entries } = await terminalStub(env, terminalId).transactions(requestId + 1, 1);
  const [entry] = entries;
  return entry?.requestId === String(requestId) ? { terminalId, transaction: await viewOne(env, entry) } : null;
}

operatorTransactionCalls.get(
  "/operator/accounts/:posId/transactions",
  forViewers,
  query(accountTransactionsQuery),
  oneAccount,
  async (c) => {
    const account = await findAccount(c.env.DATABASE, c.req.valid("param").posId);
    if (account === null) return refuse(c, NO_ACCOUNT);
    const list: TransactionList = await listAccountTransactions(c.env, account, c.req.valid("query"));
    return wantsCsv(c) ? csvAnswer(c, transactionsCsv(list.data), list.next) : c.json(list);
  },
);

describeCall(operatorTransactionCalls, ({ said, listAnswer }) => ({
  tag: "Operator payments",
  operationId: "listTransactionsOfAccount",
  summary: "List an account's transactions",
  description:
    "Lists the transactions as the account itself does, newest first and in its time zone. `from` and `to` mean the time " +
    "when a transaction was completed or, if it is `22`, last updated. Asks the account's object.",
  query: {
    day: said("Only transactions that count for this business day.", "2026-11-20"),
    deviceId: said("Only transactions of this terminal.", "T-1001"),
    statusCode: said("Only those with this status.", "22"),
    transType: said("Only transactions of this type.", "sale"),
    referenceId: said("Only the transaction with this reference.", "20261120-0042"),
    responseCode: said("Only those with this response code.", "51"),
    from: { description: "Only at or after this time. Not together with `statusCode=22`.", ...INSTANT },
    to: { description: "Only before this time. Not together with `statusCode=22`.", ...INSTANT },
    cursor: said("`next` of the previous page. Without it, the newest page.", "1041"),
    limit: PAGE_LIMIT,
  },
  answers: { 200: listAnswer("A page.", "AccountTransactionList", transactionsCsv([])), 404: noSuch("account") },
}));

operatorTransactionCalls.get(
  "/operator/terminals/:terminalId/transactions",
  forViewers,
  query(numberedPageQuery),
  requireTerminal,
  async (c) => {
    const { cursor = null, limit = PAGE_ROWS } = c.req.valid("query");
    const { entries, orphanResults } = await terminalStub(c.env, c.get("terminalId")).transactions(cursor, limit + 1);
    const viewOf = await viewer(c.env, entries);
    return c.json({
      ...makePage({ rows: entries }, limit, ({ requestId }) => requestId, viewOf),
      orphanResults: orphanResults.map(({ requestId, ...entry }) => ({ requestId, ...accountEntry(entry, "UTC") })),
    } satisfies TransactionPage);
  },
);

describeCall(operatorTransactionCalls, () => ({
  tag: "Operator payments",
  operationId: "listTransactions",
  summary: "Read a terminal's journal",
  description:
    "A page of transactions, newest first, each with its stages and with reports that contradict it. " +
    "The first page also has the results without a transaction.",
  query: NUMBERED_PAGES,
  answers: { 200: ["A page.", "TransactionPage"], 404: noSuch("terminal") },
}));

operatorTransactionCalls.post(
  "/operator/terminals/:terminalId/transactions/:requestId/resolve",
  forSupport,
  noQuery,
  body(resolution),
  requireTerminal,
  path(transactionPath, NO_TRANSACTION),
  async (c) => {
    const { terminalId, requestId } = c.req.valid("param");
    const { statusCode, reason } = c.req.valid("json");
    if (isOn(c.env.RESOLVE_NEEDS_TWO)) {
      const proposal = { terminalId, requestId, statusCode };
      const since = Date.now() - PROPOSED_FOR;
      if (!(await inTime(isProposed(c.env.DATABASE, proposal, c.get("operator"), since)))) {
        const found = await inJournal(c.env, terminalId, requestId);
        if (found === null) return refuse(c, NO_TRANSACTION);
        if (found.transaction.state === "completed") return refuse(c, NOT_OPEN);
        const details = { requestId, statusCode, reason };
        const entry = entryBy(c.get("operator"), "transaction.propose", terminalId, { details });
        await inTime(auditAlways(c.env.DATABASE, entry).run());
        const message = `Proposed. It is resolved when another operator also resolves it as ${statusCode} within an hour.`;
        return answerDone(c, message, 202);
      }
    }
    const outcome = await terminalStub(c.env, terminalId).resolve(requestId, statusCode, reason, c.get("operator"));
    switch (outcome.kind) {
      case "not-found":
        return refuse(c, NO_TRANSACTION);
      case "not-open":
        return refuse(c, NOT_OPEN);
      case "resolved":
        return c.json(await viewOne(c.env, outcome.entry));
    }
  },
);

describeCall(operatorTransactionCalls, () => ({
  tag: "Operator payments",
  operationId: "resolveTransaction",
  summary: "Resolve a transaction",
  description:
    "Resolves a transaction that is pending or past its end, after someone has checked the terminal and its host. Final: " +
    "every later request gets `RESOLVED` with this status.",
  body: "The outcome and the reason.",
  answers: {
    200: ["The transaction as it is now.", "Transaction"],
    202: [
      "Where `RESOLVE_NEEDS_TWO` is on: the outcome is proposed, and nothing is resolved. Another operator confirms it by " +
        "sending the same `statusCode` within an hour.",
      "Done",
    ],
    404: noSuch("terminal or transaction"),
    409: "The transaction is neither pending nor past its end.",
  },
}));

operatorTransactionCalls.post(
  "/operator/accounts/:posId/transactions/:requestId/close",
  forSupport,
  noQuery,
  body(closing),
  oneAccount,
  path(accountTransactionPath, NO_TRANSACTION),
  async (c) => {
    const { posId, requestId } = c.req.valid("param");
    if ((await unlessDown(() => accountExists(c.env.DATABASE, posId))) === false) return refuse(c, NO_ACCOUNT);
    const { reason, terminalId = null } = c.req.valid("json");
    const actor = c.get("operator");
    const outcome = await accountStub(c.env, posId).closeConflict({ requestId, terminalId, reason, actor });
    switch (outcome.kind) {
      case "unknown":
        return refuse(c, { kind: "not_found", message: "No terminal contradicts this transaction." });
      case "not-open":
        return refuse(c, { kind: "conflict", message: "This conflicting result is closed already." });
      case "ambiguous": {
        const message = `Terminals ${outcome.terminals.join(" and ")} have this number. Send the terminalId of one.`;
        return refuse(c, { kind: "conflict", message });
      }
      case "closed":
        return answerDone(c, "The conflicting result is closed.");
    }
  },
);

describeCall(operatorTransactionCalls, () => ({
  tag: "Operator payments",
  operationId: "closeConflictingResult",
  summary: "Close a conflicting result",
  description:
    "A terminal's signed result contradicts the recorded outcome: it is first on the overview and in " +
    "`GET /operator/pending?conflict=true` until somebody has found out what happened, and closes it here. The " +
    "recorded outcome does not change. A further conflicting result opens it again.",
  body: "The reason.",
  answers: {
    200: ["It is closed.", "Done"],
    404: noSuch("account or conflicting result"),
    409: "It is closed already, or more than one terminal has the number.",
  },
}));

async function viewOne(env: Env, entry: JournalEntry): Promise<TransactionAnswer> {
  return (await viewer(env, [entry]))(entry);
}

/** A payment has the time of its account everywhere. It is in UTC if D1 does not have the account, or does not answer. */
async function viewer(env: Env, entries: readonly JournalEntry[]): Promise<(entry: JournalEntry) => TransactionAnswer> {
  const posIds = entries.map(({ posId }) => posId);
  const zones = (await unlessDown(() => readTimezones(env.DATABASE, posIds))) ?? new Map<string, string>();
  return (entry) => view(entry, zones.get(entry.posId) ?? "UTC");
}

function view(entry: JournalEntry, timezone: string): TransactionAnswer {
  const { receivedAt, completedAt, outcome } = entry;
  return {
    ...entry,
    ...journalView(entry, timezone),
    timezone,
    // The details were checked with the result and have this shape.
    outcome: outcome as TransactionAnswer["outcome"],
    receivedAt: isoWithOffset(receivedAt, timezone),
    completedAt: completedAt === null ? null : isoWithOffset(completedAt, timezone),
  };
}
