/**
 * A search over all accounts. D1 names candidates, and their accounts' objects confirm them; a terminal's own journal
 * has its payments. The answer says what it covers: no limit, and no object that does not answer, looks like "none".
 */
import { utc } from "../../../../protocol/time/zone.ts";
import { withTimeout } from "../../../lib/with-timeout.ts";
import { log } from "../../../lib/log.ts";
import { hundredths } from "../../../../protocol/amounts.ts";
import type { AccountTransaction } from "../../../../protocol/events.ts";
import type { FilterValues, SEARCH_FILTERS } from "../../../../protocol/operator-filters.ts";
import { accountStub, type SearchTerms } from "../../../account/rpc.ts";
import { terminalStub } from "../../../terminal/rpc.ts";
import type { JournalEntry } from "../../../terminal/transfer-replies.ts";
import { accountExists } from "../../../d1/accounts.ts";
import { matchesSearch, lastFourOf } from "../../../d1/fingerprints.ts";
import { outboxSum } from "../../../d1/objects.ts";
import { NO_NOTES, type PaymentNotes, readPaymentNotes } from "../../../d1/pending.ts";
import {
  accountsAhead,
  type Candidate,
  openCandidates,
  scanFingerprints,
  type SearchedAccounts,
} from "../../../d1/search.ts";
import { findTerminal } from "../../../d1/terminals.ts";
import { DAY, SECOND, type EpochMs } from "../../../../protocol/time/units.ts";
import type { FoundPayment, FoundPayments } from "../../../../protocol/schemas/operator-transactions.ts";
import { FINGERPRINTS_LIFE } from "../../../d1/clean-up.ts";
import { STATISTICS_WITHIN } from "../../../account/statistics.ts";

/** In an answer, and candidates of each kind. */
export const FOUND_PAYMENTS = 100;

/** After the beginning, so that the answer comes within the time of any call (`middleware/time-limit.ts`). */
const SCAN_UNTIL = 4 * SECOND;
const ASK_UNTIL = 7 * SECOND;

/** Accounts that a search asks for what D1 lacks. Each is a call of an object, which reads its newest events. */
export const ASKED_ACCOUNTS = 200;

/** Entries of a terminal's journal that a search reads, some at a time. */
const JOURNAL_ROWS = 2_000;
const JOURNAL_PAGE = 100;

/** A payment may have been open for this long before it was completed. */
const OPEN_FOR = DAY;

type SearchQuery = FilterValues<typeof SEARCH_FILTERS>;

interface Covered {
  from: number;
  to: number;
  completeUntil: number;
  isCut: boolean;
  notCovered: string[];
}

type Shown = Pick<
  AccountTransaction,
  "requestId" | "deviceId" | "referenceId" | "transType" | "statusCode" | "transAmt" | "cashAmt" | "currency" | "cardNo"
> & { posId: string; responseCode: string | null; receivedAt: string; completedAt: string | null };

export async function findPayments(env: Env, query: SearchQuery, now: EpochMs): Promise<FoundPayments> {
  const { referenceId = null, amount, cardLastFour = null, terminalId = null, from = null, to = null } = query;
  const searchTerms = { referenceId, amount: hundredths(amount ?? null), cardLastFour, terminalId, from, to };
  return terminalId === null
    ? overAccounts(env, searchTerms, query, now)
    : inJournal(env, { ...searchTerms, terminalId }, query, now);
}

async function overAccounts(
  env: Env,
  searchTerms: SearchTerms,
  query: SearchQuery,
  now: EpochMs,
): Promise<FoundPayments> {
  const { DATABASE: db } = env;
  const { posId = null, merchantId = null } = query;
  const to = Math.min(searchTerms.to ?? now, now);
  const from = Math.min(Math.max(searchTerms.from ?? 0, now - FINGERPRINTS_LIFE), to);
  // An unknown posId must not create an object.
  if (posId !== null && !(await accountExists(db, posId))) {
    return makeAnswer(db, [], { from, to, completeUntil: to, isCut: false, notCovered: [] });
  }
  const accounts = { posId, merchantId };
  const bounds = { from, to, deadline: now + SCAN_UNTIL, candidates: FOUND_PAYMENTS };
  const [scan, open, { delivered, ahead }] = await Promise.all([
    scanFingerprints(db, searchTerms, accounts, bounds),
    openCandidates(db, searchTerms, accounts, FOUND_PAYMENTS),
    findAhead(db, accounts, to, now),
  ]);
  const live = ahead.slice(0, ASKED_ACCOUNTS);
  const answers = await ask(env, searchTerms, byAccount([...scan.candidates, ...open], live), now + ASK_UNTIL);
  const isLive = ahead.length <= ASKED_ACCOUNTS && answers.every(({ isComplete }) => isComplete);
  return makeAnswer(
    db,
    answers.flatMap((answer) => answer.data.map((payment) => ({ ...payment, posId: answer.posId }))),
    {
      from: scan.from,
      to,
      completeUntil: isLive ? to : Math.min(to, delivered),
      isCut: scan.isCut || open.length === FOUND_PAYMENTS,
      notCovered: [
        ...new Set([...scan.overfull, ...answers.filter(({ isAsked }) => !isAsked).map((answer) => answer.posId)]),
      ],
    },
  );
}

/**
 * Returns until when D1 has everything, and the accounts that may have payments from then until `to`: at most one more than
 * are asked.
 */
async function findAhead(db: D1Database, accounts: SearchedAccounts, to: EpochMs, now: EpochMs) {
  const oldest = await outboxSum(db, now, "account").first<number>("oldest");
  const delivered = Math.min(now - STATISTICS_WITHIN, oldest ?? now);
  if (to <= delivered) return { delivered, ahead: [] };
  const { posId } = accounts;
  return { delivered, ahead: posId === null ? await accountsAhead(db, accounts, now, ASKED_ACCOUNTS + 1) : [posId] };
}

interface Asked {
  events: number[];
  references: string[];
}

/** @param live accounts that are asked in any case: they have what D1 does not have yet */
function byAccount(candidates: readonly Candidate[], live: readonly string[]): Map<string, Asked> {
  const asked = new Map<string, Asked>(live.map((posId) => [posId, { events: [], references: [] }]));
  for (const candidate of candidates) {
    const of = asked.get(candidate.posId) ?? { events: [], references: [] };
    asked.set(candidate.posId, of);
    if ("event" in candidate) of.events.push(candidate.event);
    else of.references.push(candidate.referenceId);
  }
  return asked;
}

/** Asks each object by itself: one that does not answer hides no other's payments. */
function ask(env: Env, searchTerms: SearchTerms, asked: ReadonlyMap<string, Asked>, until: EpochMs) {
  return Promise.all(
    [...asked].map(async ([posId, named]) => {
      try {
        const left = Math.max(until - Date.now(), 0);
        const { data, isComplete } = await withTimeout(left, accountStub(env, posId).search({ searchTerms, ...named }));
        return { posId, data, isComplete, isAsked: true };
      } catch (error) {
        log("warning", "account_not_searched", { account: posId, detail: String(error) });
        return { posId, data: [], isComplete: false, isAsked: false };
      }
    }),
  );
}

/** The operator has named the terminal: only its object is asked. */
async function inJournal(
  env: Env,
  searchTerms: SearchTerms & { terminalId: string },
  { posId }: SearchQuery,
  now: EpochMs,
): Promise<FoundPayments> {
  const { terminalId } = searchTerms;
  const to = searchTerms.to ?? now;
  const from = Math.min(searchTerms.from ?? now - FINGERPRINTS_LIFE, to);
  const found: Shown[] = [];
  const covered = { from, to, completeUntil: to, isCut: false, notCovered: [] };
  // An unknown terminalId must not create an object.
  const { DATABASE: db } = env;
  if ((await findTerminal(db, terminalId)) === null) return makeAnswer(db, [], covered);
  let before: number | null = null;
  for (let read = 0; ; read += JOURNAL_PAGE) {
    const { entries } = await terminalStub(env, terminalId).transactions(before, JOURNAL_PAGE);
    const shown = entries.flatMap((entry) => inList(entry, terminalId));
    found.push(
      ...shown.filter(
        (one) => (posId === undefined || one.posId === posId) && matchesSearch(one, { ...searchTerms, from }),
      ),
    );
    const last = entries.at(-1);
    if (last === undefined || entries.length < JOURNAL_PAGE || last.receivedAt < from - OPEN_FOR) break;
    if (read >= JOURNAL_ROWS || Date.now() >= now + SCAN_UNTIL) {
      return makeAnswer(db, found, { ...covered, from: Math.min(last.receivedAt, to), isCut: true });
    }
    before = Number(last.requestId);
  }
  return makeAnswer(db, found, covered);
}

/** A tombstone is no payment. */
function inList({ transType, state, outcome, receivedAt, completedAt, ...entry }: JournalEntry, deviceId: string) {
  if (transType === null) return [];
  const { statusCode = "22", responseCode = null } = state === "completed" ? (outcome ?? {}) : {};
  return [
    {
      ...entry,
      transType,
      deviceId,
      statusCode,
      responseCode,
      cardNo: outcome?.transData?.["cardNo"] ?? null,
      receivedAt: utc(receivedAt),
      completedAt: completedAt === null ? null : utc(completedAt),
    },
  ];
}

/** Returns the newest first. Those that do not fit make the covered time shorter. */
async function makeAnswer(
  db: D1Database,
  found: readonly Shown[],
  { from, isCut, notCovered, ...times }: Covered,
): Promise<FoundPayments> {
  const rows = found.toSorted((one, other) => timeOf(other) - timeOf(one));
  const firstLeft = rows[FOUND_PAYMENTS];
  const covered = firstLeft === undefined ? from : Math.max(from, timeOf(firstLeft) + 1);
  const shown = rows.slice(0, FOUND_PAYMENTS);
  const notes = await readPaymentNotes(db, shown);
  return {
    data: shown.map((payment, index) => ({ ...view(payment), ...(notes[index] ?? NO_NOTES) })),
    covered: {
      from: utc(covered),
      to: utc(times.to),
      completeUntil: utc(times.completeUntil),
      cut: isCut || firstLeft !== undefined,
      notCovered,
    },
  };
}

function timeOf({ completedAt, receivedAt }: Shown): number {
  return Date.parse(completedAt ?? receivedAt);
}

function view(payment: Shown): Omit<FoundPayment, keyof PaymentNotes> {
  const { requestId, posId, deviceId, referenceId, transType, statusCode, responseCode, completedAt } = payment;
  const { transAmt, cashAmt, currency } = payment;
  return {
    requestId,
    posId,
    terminalId: deviceId,
    referenceId,
    transType,
    statusCode,
    responseCode,
    transAmt,
    cashAmt,
    currency,
    cardLastFour: lastFourOf(payment),
    receivedAt: utc(Date.parse(payment.receivedAt)),
    completedAt: completedAt === null ? null : utc(Date.parse(completedAt)),
  };
}
