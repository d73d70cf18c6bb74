/** I7: the account records every outcome once, in one order, under numbers without gaps; an endpoint takes every event so. */
import type { Wire } from "../journal.ts";
import { type Check, sentences } from "./check.ts";
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

/** The last time that an account's feed was read when nothing disturbed any more. */
function lastRead(history: History, posId: string): Line<"feed.read"> | undefined {
  return (history.feeds.get(posId) ?? []).findLast((line) => history.isAfterQuiet(line));
}

function eventsOf({ events }: History): SeenEvent[][] {
  return [...events.values()].map((all) => [...all.values()].toSorted((a, b) => a.number - b.number));
}

function isCompletion({ type }: SeenEvent): boolean {
  return type === "transaction.completed";
}

/** Holds that an event is as it was seen first. */
function isSame(check: Check, { events }: History, line: SeenEvent["line"], event: Wire): void {
  const number = numberAt(event, "number") ?? 0;
  const seen = events.get(line.posId)?.get(number);
  if (seen === undefined || seen.line === line) return;
  const text = JSON.stringify(event);
  check.holds(text === seen.text, `${line.posId}: event ${number} differs.`, [seen.line, line]);
}

function countsIn(events: readonly SeenEvent[]): string {
  const all = events.filter(isCompletion);
  const approved = all.filter(({ data }) => textAt(data, "statusCode") === "00").length;
  return `${approved} and ${all.length - approved}`;
}

function toldCounts(data: Wire): string {
  const rows = listAt(data, "data");
  const sum = (name: string) => rows.reduce((total, row) => total + (numberAt(objectAt(row, name), "count") ?? 0), 0);
  return `${sum("approved")} and ${sum("notApproved")}`;
}

/** Deliveries of events by endpoint. A `ping` is not an event of the feed. */
function byEndpoint(history: History): Line<"webhook.received">[][] {
  const lines = history.of("webhook.received").filter(({ event }) => numberAt(event, "number") !== null);
  return [...Map.groupBy(lines, ({ posId, webhookId }) => `${posId} ${webhookId}`).values()];
}

function isTaken({ status }: Line<"webhook.received">): boolean {
  return status >= 200 && status < 300;
}

export const nothingMissed = sentences("I7", {
  "Behind every number, a feed goes on with the next one, without gaps.": (check, history) => {
    for (const line of history.of("feed.read")) {
      for (const [index, event] of line.events.entries()) {
        const next = line.after + index + 1;
        const id = textAt(event, "id");
        const isNext = numberAt(event, "number") === next && id === `evt_${line.posId}_${next}`;
        check.holds(isNext, `${line.posId} read ${id} where ${next} was next.`, [line]);
      }
    }
  },
  "A feed never loses an event that somebody has read.": (check, history) => {
    for (const reads of history.feeds.values()) {
      let newest: { number: number; line: Line } = { number: 0, line: reads[0] as Line };
      for (const line of reads) {
        const { number, line: earlier } = newest;
        if (line.after < number) {
          const says = `${line.posId}: event ${number} had been read, and there is nothing behind ${line.after} later.`;
          check.holds(line.events.length > 0, says, [earlier, line]);
        }
        const last = numberAt(line.events.at(-1), "number") ?? 0;
        if (last > number) newest = { number: last, line };
      }
    }
  },
  "An event is the same for every reader, at every time.": (check, history) => {
    for (const line of history.of("feed.read")) {
      for (const event of line.events) isSame(check, history, line, event);
    }
  },
  /** A transaction's own events: pending and updated before one completed, and afterwards the same status. */
  "A transaction is completed by exactly one event, and no later event changes its status.": (check, history) => {
    for (const events of eventsOf(history)) {
      const completed = new Map<string, SeenEvent>();
      for (const seen of events) {
        const { type, data, posId, line } = seen;
        if (!type.startsWith("transaction.") || type === "transaction.contradicted") continue;
        const reference = textAt(data, "referenceId") ?? "";
        const status = textAt(data, "statusCode");
        const before = completed.get(reference);
        const isRight =
          before === undefined
            ? isCompletion(seen) === (status !== "22")
            : type === "transaction.updated" && status === textAt(before.data, "statusCode");
        check.holds(
          isRight,
          `${posId}/${reference}: ${type} with ${status}${before === undefined ? "" : " after it was completed"}.`,
          [before?.line, line],
        );
        if (isCompletion(seen)) completed.set(reference, before ?? seen);
      }
    }
  },
  "At the end, every 00 and 11 that was told or acknowledged is in its account's feed.": (check, history) => {
    if (!history.isComplete) return;
    const completions = eventsOf(history).flat().filter(isCompletion);
    const completed = new Set(completions.map(({ posId, data }) => `${posId}/${textAt(data, "referenceId")}`));
    for (const reference of history.references.values()) {
      const { acknowledged, firstFinal, key, posId } = reference;
      const known = firstFinal?.line ?? acknowledged?.line;
      if (known === undefined) continue;
      const read = lastRead(history, posId);
      if (read === undefined) {
        check.leaves(history.isDeleted(posId) ? "its account was deleted" : "the feed was not read at the end");
      } else if (!completed.has(key) && isTombstone(history, reference)) {
        check.leaves("cancelled or asked about before it arrived: not a transaction");
      } else if (!completed.has(key) && known.at > read.at - RECORDED_WITHIN) {
        check.leaves("completed shortly before the feed was read for the last time");
      } else {
        const status = firstFinal?.status ?? acknowledged?.status;
        check.holds(completed.has(key), `${key} is ${status}, and the feed does not say so.`, [known, read]);
      }
    }
  },
  "An event has the amounts that a till asked for.": (check, history) => {
    for (const { posId, data, line } of eventsOf(history).flat()) {
      const referenceId = textAt(data, "referenceId");
      const type = textAt(data, "transType");
      if (referenceId === null || (type !== "sale" && type !== "cashOut")) continue;
      const { key, transfers } = history.reference(posId, referenceId);
      const asked = transfers.filter(({ sort }) => sort === "payment").map((call) => call.asked);
      const told = textAt(data, "transAmt");
      check.holds(
        asked.some(({ request }) => textAt(request, "transData", "transAmt") === told),
        `${key}: the feed says ${told}, which no till had asked for.`,
        [...asked, line],
      );
    }
  },
  "A voided payment's newest event names its void.": (check, history) => {
    // Until the end, a reader may have read the void and not yet what follows from it.
    if (!history.isComplete) return;
    for (const events of eventsOf(history)) {
      const newest = new Map(events.map((seen) => [textAt(seen.data, "requestId"), seen]));
      for (const seen of events) {
        const { data, posId, line } = seen;
        const isVoided = textAt(data, "transType") === "void" && textAt(data, "statusCode") === "00";
        const payment = textAt(data, "transId");
        const target = newest.get(payment);
        if (!isCompletion(seen) || !isVoided || payment === null || target === undefined) continue;
        const requestId = textAt(data, "requestId");
        const says = `${posId}: payment ${payment} is voided by ${requestId}, and does not say so.`;
        check.holds(textAt(target.data, "voidedBy", "requestId") === requestId, says, [line, target.line]);
      }
    }
  },
  "A closed day has the outcomes recorded for it, and no later one is of that day.": (check, history) => {
    for (const events of eventsOf(history)) {
      const closed = new Map<string, Line>();
      for (const [index, seen] of events.entries()) {
        const { type, data, posId, line } = seen;
        const day = textAt(data, "day");
        if (day === null) continue;
        if (type === "day.closed") {
          const recorded = countsIn(events.slice(0, index).filter((one) => textAt(one.data, "day") === day));
          const told = toldCounts(data);
          const says = `${posId}: day ${day} is closed with ${told}, recorded are ${recorded}.`;
          check.holds(!closed.has(day) && told === recorded, says, [closed.get(day), line]);
          closed.set(day, line);
        } else if (isCompletion(seen) && closed.size > 0) {
          const says = `${posId}: ${textAt(data, "referenceId")} was recorded for ${day} after that day was closed.`;
          const isOpen = [...closed.keys()].every((one) => one < day);
          check.holds(isOpen, says, [closed.get(day), line]);
        }
      }
    }
  },
  "An endpoint is sent an event only when it has taken all before it.": (check, history) => {
    for (const deliveries of byEndpoint(history)) {
      // A new endpoint begins at the newest number.
      let taken = (numberAt(deliveries[0]?.event, "number") ?? 1) - 1;
      for (const line of deliveries) {
        const number = numberAt(line.event, "number") ?? 0;
        const says = `${line.posId} was sent event ${number}, and had taken only those up to ${taken}.`;
        check.holds(number <= taken + 1, says, [line]);
        if (isTaken(line) && number === taken + 1) taken = number;
      }
    }
  },
  "A delivery has the same event as the feed and every other delivery of it.": (check, history) => {
    for (const line of byEndpoint(history).flat()) isSame(check, history, line, line.event);
  },
  "At the end, an endpoint has taken every event of the feed.": (check, history) => {
    if (!history.isComplete) return;
    for (const deliveries of byEndpoint(history)) {
      const [first] = deliveries;
      if (first === undefined) continue;
      const { posId } = first;
      if (history.isDeleted(posId) || lastRead(history, posId) === undefined) {
        check.leaves("its account was deleted, or its feed was not read at the end");
        continue;
      }
      const events = history.events.get(posId);
      const newest = Math.max(0, ...(events?.keys() ?? []));
      const taken = new Set(deliveries.filter(isTaken).map(({ event }) => numberAt(event, "number")));
      for (let number = numberAt(first.event, "number") ?? 1; number <= newest; number += 1) {
        const says = `${posId}: event ${number} of ${newest} was never taken.`;
        check.holds(taken.has(number), says, [events?.get(number)?.line, deliveries.at(-1)]);
      }
    }
  },
});
