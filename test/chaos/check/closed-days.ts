/** I7: a day that is closed never changes. */
import { sentences } from "./check.ts";
import type { SeenEvent } from "./history.ts";
import { inNumberOrder } from "./nothing-missed.ts";
import { listAt, numberAt, objectAt, textAt } from "./wire.ts";

interface Counts {
  approved: number;
  notApproved: number;
}

export const closedDays = sentences("I7", {
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

function toldCounts({ event }: SeenEvent): Counts {
  const rows = listAt(objectAt(event, "data"), "data");
  const sum = (name: string) => rows.reduce((total, row) => total + (numberAt(objectAt(row, name), "count") ?? 0), 0);
  return { approved: sum("approved"), notApproved: sum("notApproved") };
}
