/**
 * Newest first. A completed transaction is listed at its completion, an open one at its newest event; both show the
 * data of their newest event. There is no index: a page reads a bounded number of events backwards, and a day reads its
 * events from last to first.
 */
import { type AccountEvent, type AccountTransaction, isAboutTransaction } from "../../protocol/events.ts";
import { matchesSearch } from "../d1/fingerprints.ts";
import { formatCopyKey } from "./copies.ts";
import {
  type ListAnswer,
  type ListQuestion,
  type SearchAnswer,
  type SearchQuestion,
  type RecordFilters,
  transactionFilters,
} from "./rpc.ts";
import type { AccountTables } from "./storage/tables.ts";
import type { Events } from "./storage/events.ts";
import type { AccountRecord } from "./storage/record.ts";
import { deliveredEvent } from "./statistics.ts";
import { findEventRange } from "./totals.ts";
import { TALLY_EVENTS } from "./sums.ts";

/** A page of the list of transactions reads at most this many events, so that it never delays a payment. */
export const LIST_EVENTS = 1_000;

export function listTransactions(parts: AccountTables, account: AccountRecord, question: ListQuestion): ListAnswer {
  const { filters } = question;
  if (filters.referenceId !== null) return byReference(parts, question, filters.referenceId);
  return filters.statusCode === "22" ? pending(parts, question) : walk(parts, account, question);
}

const ANY = transactionFilters({});

/** Confirms the candidates from D1, and searches the newest events, which D1 may lack. */
export function findEvents(
  parts: AccountTables,
  { searchTerms, events: numbers, references }: SearchQuestion,
): SearchAnswer {
  const { claims, events } = parts;
  const newest = events
    .before(Number.MAX_SAFE_INTEGER, deliveredEvent(parts) + 1, TALLY_EVENTS)
    .map(({ event }) => event);
  const named = numbers.map((number) => events.find(number)).filter((event) => event !== null);
  const found = [
    ...[...newest, ...named].map((event) => shownAt(parts, event, ANY)),
    ...references.map((reference) => transactionIn(events.find(claims.find(reference)?.event ?? 0))),
  ].filter((transaction) => transaction !== null);
  const wanted = found.filter((transaction) => matchesSearch(transaction, searchTerms));
  const data = new Map(wanted.map((transaction) => [formatCopyKey(transaction), transaction]));
  return { data: [...data.values()], isComplete: newest.length < TALLY_EVENTS };
}

function byReference(
  { claims, events }: AccountTables,
  { filters, before }: ListQuestion,
  reference: string,
): ListAnswer {
  const claim = claims.find(reference);
  if (claim !== null && claim.requestId === null) return { kind: "ask", deviceId: claim.deviceId };
  const number = claim?.event ?? null;
  const newest = number === null ? null : transactionIn(events.find(number));
  const isMeant = newest !== null && fits(newest, filters) && (before === null || (number ?? 0) < before);
  return { kind: "page", data: isMeant ? [newest] : [], next: null };
}

/** Lists every pending transaction, however old, without reading everything that was completed since. */
function pending({ claims, events }: AccountTables, { filters, before, limit }: ListQuestion): ListAnswer {
  const open = claims
    .pending()
    .filter(({ event, deviceId }) => (event ?? 0) < (before ?? Infinity) && deviceId === (filters.deviceId ?? deviceId))
    .toReversed();
  const page = open.slice(0, limit);
  const data = page
    .map(({ event }) => transactionIn(events.find(event ?? 0)))
    .filter((transaction) => transaction !== null)
    .filter((transaction) => fits(transaction, filters));
  return { kind: "page", data, next: open.length > limit ? (page.at(-1)?.event ?? null) : null };
}

function walk(
  parts: AccountTables,
  account: AccountRecord,
  { filters, before, limit, period }: ListQuestion,
): ListAnswer {
  const { events } = parts;
  const ofDay = filters.day === null ? { first: 1, last: events.newest } : findEventRange(parts, account, filters.day);
  if (ofDay === null) return { kind: "page", data: [], next: null };
  const range = within(events, ofDay, period);
  const data: AccountTransaction[] = [];
  let number = Math.min(before ?? Number.MAX_SAFE_INTEGER, range.last + 1);
  const until = number - LIST_EVENTS;
  while (number > until && data.length < limit) {
    const read = events.before(number, range.first, Math.min(limit, number - until));
    if (read.length === 0) return { kind: "page", data, next: null };
    for (const { number: looked, event } of read) {
      if (data.length === limit) break;
      number = looked;
      const shown = shownAt(parts, event, filters);
      if (shown !== null) data.push(shown);
    }
  }
  return { kind: "page", data, next: events.before(number, range.first, 1).length > 0 ? number : null };
}

interface Range {
  first: number;
  last: number;
}

/**
 * Returns the part of a range that was recorded in a period. If it is empty, its last number is smaller than its first.
 */
function within(events: Events, { first, last }: Range, { from, to }: ListQuestion["period"]): Range {
  return {
    first: from === null ? first : Math.max(first, events.firstSince(from)),
    last: to === null ? last : Math.min(last, events.firstSince(to) - 1),
  };
}

/** Returns null if the event lists no transaction. */
function shownAt(
  { claims, events }: AccountTables,
  event: AccountEvent,
  filters: RecordFilters,
): AccountTransaction | null {
  const transaction = transactionIn(event);
  // From here on, only the status of an open transaction can change.
  if (transaction === null || !fits(transaction, filters)) return null;
  const claim = claims.find(transaction.referenceId);
  // After 400 days, its reference may belong to a newer transaction.
  const newest = claim !== null && String(claim.requestId) === transaction.requestId ? claim.event : null;
  if (event.type === "transaction.completed") {
    return newest === null || newest === event.number ? transaction : transactionIn(events.find(newest));
  }
  return newest === event.number && transaction.completedAt === null ? transaction : null;
}

function transactionIn(event: AccountEvent | null): AccountTransaction | null {
  return event !== null && isAboutTransaction(event) ? event.data : null;
}

function fits(transaction: AccountTransaction, filters: RecordFilters): boolean {
  const { day, deviceId, statusCode, transType, responseCode } = filters;
  return (
    (day === null || transaction.day === day) &&
    (deviceId === null || transaction.deviceId === deviceId) &&
    (statusCode === null || transaction.statusCode === statusCode) &&
    (transType === null || transaction.transType === transType) &&
    (responseCode === null || transaction.responseCode === responseCode)
  );
}
