/** I7: the account records every outcome once, in one order, under numbers without gaps; an endpoint takes every event so. */
import type { Wire } from "../journal.ts";
import { sentences } from "./check.ts";
import type { History, Line, SeenEvent } from "./history.ts";
import type { Reference } from "./references.ts";
import { listAt, numberAt, objectAt, textAt } from "./wire.ts";

/** A status reaches the feed within seconds; one that is younger may still be on its way, milliseconds. */
const RECORDED_WITHIN = 10_000;

/** Only the operator's journal tells for certain what a reference without a transaction is. */
function isTombstone(history: History, reference: Reference): boolean {
  const rows = [...reference.requestIds].flatMap((requestId) => history.rows.get(requestId) ?? []);
  if (rows.length > 0) return rows.every(({ row }) => row["transType"] === null);
  return reference.mayBeTombstone && reference.firstFinal?.responseCode === "CANCELLED";
}

/** Keys of the references that the feeds have as completed. */
function completedReferences(history: History): Set<string> {
  const found = new Set<string>();
  for (const [posId, events] of history.events) {
    for (const { event } of events.values()) {
      const referenceId = textAt(event, "data", "referenceId");
      if (textAt(event, "type") === "transaction.completed" && referenceId !== null)
        found.add(`${posId}/${referenceId}`);
    }
  }
  return found;
}

/** The last time that an account's feed was read when nothing disturbed any more. */
function lastRead(history: History, posId: string): Line<"feed.read"> | null {
  return (history.feeds.get(posId) ?? []).filter((line) => history.isAfterQuiet(line)).at(-1) ?? null;
}

function inNumberOrder(events: ReadonlyMap<number, SeenEvent>): [number, SeenEvent][] {
  return [...events].toSorted(([a], [b]) => a - b);
}

function seenEvent(history: History, posId: string, event: Wire): SeenEvent | null {
  return history.events.get(posId)?.get(numberAt(event, "number") ?? 0) ?? null;
}

interface Counts {
  approved: number;
  notApproved: number;
}

function toldCounts({ event }: SeenEvent): Counts {
  const rows = listAt(objectAt(event, "data"), "data");
  const sum = (name: string) => rows.reduce((total, row) => total + (numberAt(objectAt(row, name), "count") ?? 0), 0);
  return { approved: sum("approved"), notApproved: sum("notApproved") };
}

export const nothingMissed = sentences("I7", {
  "Behind every number, a feed goes on with the next one, without gaps.": (check, history) => {
    for (const line of history.of("feed.read")) {
      for (const [index, event] of line.events.entries()) {
        const number = numberAt(event, "number");
        check.holds(
          number === line.after + index + 1 && textAt(event, "id") === `evt_${line.posId}_${number}`,
          () => `${line.posId} read ${textAt(event, "id")} where ${line.after + index + 1} was next.`,
          () => [line],
        );
      }
    }
  },
  "A feed never loses an event that somebody has read.": (check, history) => {
    for (const reads of history.feeds.values()) {
      let newest: { number: number; line: Line } = { number: 0, line: reads[0] as Line };
      for (const line of reads) {
        const { number, line: earlier } = newest;
        if (line.after < number) {
          check.holds(
            line.events.length > 0,
            () => `${line.posId}: event ${number} had been read, and there is nothing behind ${line.after} later.`,
            () => [earlier, line],
          );
        }
        const last = numberAt(line.events.at(-1), "number") ?? 0;
        if (last > number) newest = { number: last, line };
      }
    }
  },
  "An event is the same for every reader, at every time.": (check, history) => {
    for (const line of history.of("feed.read")) {
      for (const event of line.events) {
        const seen = seenEvent(history, line.posId, event);
        if (seen === null || seen.line === line) continue;
        check.holds(
          JSON.stringify(event) === seen.text,
          () => `${line.posId}: event ${numberAt(event, "number")} has changed.`,
          () => [seen.line, line],
        );
      }
    }
  },
  /** A transaction's own events: pending and updated before one completed, and afterwards the same status. */
  "A transaction is completed by exactly one event, and no later event changes its status.": (check, history) => {
    for (const [posId, events] of history.events) {
      const completed = new Map<string, SeenEvent>();
      for (const [, seen] of inNumberOrder(events)) {
        const type = textAt(seen.event, "type") ?? "";
        if (!type.startsWith("transaction.") || type === "transaction.contradicted") continue;
        const data = objectAt(seen.event, "data");
        const reference = textAt(data, "referenceId") ?? "";
        const status = textAt(data, "statusCode");
        const before = completed.get(reference);
        const isRight =
          before === undefined
            ? (type === "transaction.completed") === (status !== "22")
            : type === "transaction.updated" && status === textAt(before.event, "data", "statusCode");
        check.holds(
          isRight,
          () =>
            `${posId}/${reference}: ${type} with ${status}${before === undefined ? "" : " after it was completed"}.`,
          () => [before?.line, seen.line],
        );
        if (type === "transaction.completed") completed.set(reference, before ?? seen);
      }
    }
  },
  "At the end, every 00 and 11 that was told or acknowledged is in its account's feed.": (check, history) => {
    if (!history.isComplete) return;
    const completed = completedReferences(history);
    for (const reference of history.references.values()) {
      const { acknowledged, firstFinal, key, posId } = reference;
      const known = firstFinal?.line ?? acknowledged?.line;
      if (known === undefined) continue;
      const read = lastRead(history, posId);
      if (read === null) {
        check.leaves(history.isDeleted(posId) ? "its account was deleted" : "the feed was not read at the end");
        continue;
      }
      if (!completed.has(key)) {
        if (isTombstone(history, reference)) {
          check.leaves("cancelled or asked about before it arrived: not a transaction");
          continue;
        }
        if (known.at > read.at - RECORDED_WITHIN) {
          check.leaves("completed shortly before the feed was read for the last time");
          continue;
        }
      }
      check.holds(
        completed.has(key),
        () => `${key} is ${firstFinal?.status ?? acknowledged?.status}, and the feed does not say so.`,
        () => [known, read],
      );
    }
  },
  "An event has the amounts that a till asked for.": (check, history) => {
    for (const [posId, events] of history.events) {
      for (const { event, line } of events.values()) {
        const data = objectAt(event, "data");
        const referenceId = textAt(data, "referenceId");
        const type = textAt(data, "transType");
        if (referenceId === null || (type !== "sale" && type !== "cashOut")) continue;
        const reference = history.reference(posId, referenceId);
        const asked = reference.transfers.filter(({ sort }) => sort === "payment").map((call) => call.asked);
        check.holds(
          asked.some(({ request }) => textAt(request, "transData", "transAmt") === textAt(data, "transAmt")),
          () => `${reference.key}: the feed says ${textAt(data, "transAmt")}, which no till had asked for.`,
          () => [...asked, line],
        );
      }
    }
  },
  "A voided payment's newest event names its void.": (check, history) => {
    // Until the end, a reader may have read the void and not yet what follows from it.
    if (!history.isComplete) return;
    for (const [posId, events] of history.events) {
      const newest = new Map<string, SeenEvent>();
      const ordered = inNumberOrder(events);
      for (const [, seen] of ordered) {
        const requestId = textAt(seen.event, "data", "requestId");
        if (requestId !== null) newest.set(requestId, seen);
      }
      for (const [, { event, line }] of ordered) {
        const data = objectAt(event, "data");
        const isVoid = textAt(event, "type") === "transaction.completed" && textAt(data, "transType") === "void";
        const target =
          isVoid && textAt(data, "statusCode") === "00" ? newest.get(textAt(data, "transId") ?? "") : undefined;
        if (target === undefined) continue;
        check.holds(
          textAt(target.event, "data", "voidedBy", "requestId") === textAt(data, "requestId"),
          () =>
            `${posId}: payment ${textAt(data, "transId")} is voided by ${textAt(data, "requestId")}, and does not say so.`,
          () => [line, target.line],
        );
      }
    }
  },
  "A closed day has the outcomes recorded for it, and no later one is of that day.": (check, history) => {
    for (const [posId, events] of history.events) {
      const closed = new Map<string, SeenEvent>();
      const recorded = new Map<string, Counts>();
      for (const [, seen] of inNumberOrder(events)) {
        const data = objectAt(seen.event, "data");
        const day = textAt(data, "day");
        if (day === null) continue;
        if (textAt(seen.event, "type") === "day.closed") {
          const told = toldCounts(seen);
          const { approved, notApproved } = recorded.get(day) ?? { approved: 0, notApproved: 0 };
          check.holds(
            !closed.has(day) && told.approved === approved && told.notApproved === notApproved,
            () =>
              `${posId}: day ${day} is closed with ${told.approved} and ${told.notApproved}, recorded are ${approved} and ${notApproved}.`,
            () => [closed.get(day)?.line, seen.line],
          );
          closed.set(day, seen);
        } else if (textAt(seen.event, "type") === "transaction.completed") {
          if (closed.size > 0) {
            check.holds(
              ![...closed.keys()].some((one) => one >= day),
              () => `${posId}: ${textAt(data, "referenceId")} was recorded for ${day} after that day was closed.`,
              () => [closed.get(day)?.line, seen.line],
            );
          }
          const counts = recorded.get(day) ?? { approved: 0, notApproved: 0 };
          counts[textAt(data, "statusCode") === "00" ? "approved" : "notApproved"] += 1;
          recorded.set(day, counts);
        }
      }
    }
  },
});

/** Deliveries of events by endpoint. A `ping` is not an event of the feed. */
function byEndpoint(history: History): Line<"webhook.received">[][] {
  const found = new Map<string, Line<"webhook.received">[]>();
  for (const line of history.of("webhook.received")) {
    if (numberAt(line.event, "number") === null) continue;
    // The header `webhook-id` is the event's id. Only an id of another kind tells endpoints of one account apart.
    const endpoint = line.webhookId === textAt(line.event, "id") ? line.posId : `${line.posId} ${line.webhookId}`;
    found.set(endpoint, [...(found.get(endpoint) ?? []), line]);
  }
  return [...found.values()];
}

function isTaken({ status }: Line<"webhook.received">): boolean {
  return status >= 200 && status < 300;
}

/** `410` disables an endpoint: its cursor stays. */
const GONE = 410;

export const webhooks = sentences("I7", {
  "An endpoint is sent an event only when it has taken all before it.": (check, history) => {
    for (const deliveries of byEndpoint(history)) {
      // A new endpoint begins at the newest number.
      let taken = (numberAt(deliveries[0]?.event, "number") ?? 1) - 1;
      for (const line of deliveries) {
        const number = numberAt(line.event, "number") ?? 0;
        const before = taken;
        check.holds(
          number <= before + 1,
          () => `${line.posId} was sent event ${number}, and had taken only those up to ${before}.`,
          () => [line],
        );
        if (isTaken(line) && number === taken + 1) taken = number;
      }
    }
  },
  "A delivery has the same event as the feed and every other delivery of it.": (check, history) => {
    for (const line of byEndpoint(history).flat()) {
      const seen = history.events.get(line.posId)?.get(numberAt(line.event, "number") ?? 0);
      if (seen === undefined || seen.line === line) continue;
      check.holds(
        JSON.stringify(line.event) === seen.text,
        () => `${line.posId}: event ${numberAt(line.event, "number")} was delivered otherwise.`,
        () => [seen.line, line],
      );
    }
  },
  "At the end, an endpoint has taken every event of the feed.": (check, history) => {
    if (!history.isComplete) return;
    for (const deliveries of byEndpoint(history)) {
      const [first] = deliveries;
      if (first === undefined) continue;
      const { posId } = first;
      const read = lastRead(history, posId);
      if (history.isDeleted(posId) || read === null || deliveries.some(({ status }) => status === GONE)) {
        check.leaves("its account was deleted, its feed was not read at the end, or it was disabled with 410");
        continue;
      }
      const newest = Math.max(0, ...(history.events.get(posId)?.keys() ?? []));
      const taken = new Set(deliveries.filter(isTaken).map(({ event }) => numberAt(event, "number")));
      const begin = numberAt(first.event, "number") ?? 1;
      for (let number = begin; number <= newest; number += 1) {
        const missed = number;
        check.holds(
          taken.has(number),
          () => `${posId}: event ${missed} of ${newest} was never taken.`,
          () => [history.events.get(posId)?.get(missed)?.line, deliveries.at(-1)],
        );
      }
    }
  },
});
