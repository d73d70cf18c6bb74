/** I7 for webhooks: an endpoint takes every event, in order, as the feed has it. */
import { sentences } from "./check.ts";
import type { History, Line } from "./history.ts";
import { lastRead } from "./nothing-missed.ts";
import { numberAt, textAt } from "./wire.ts";

/** Deliveries of events by endpoint. A `ping` is not an event of the feed. */
function byEndpoint(history: History): Line<"webhook.received">[][] {
  const found = new Map<string, Line<"webhook.received">[]>();
  for (const line of [...history.webhooks.values()].flat()) {
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
