/** What a terminal's transactions of some time add up to, of its journal. */
import { count, emptyTally, type Tally } from "../statistics/tally.ts";
import { HOUR } from "../time/units.ts";
import { currentAnswer, type Link } from "./lane/index.ts";
import { STATISTICS_PAGE, STATISTICS_ROWS } from "./limits.ts";
import { isReal, timesOf } from "./record-entry.ts";
import type { TerminalHour } from "../rpc/transfers.ts";
import type { Journal } from "./storage/journal.ts";

/** Completed transactions that were received in this time, by the hour in which they completed; of the newest rows alone. */
export function statisticsOf(journal: Pick<Journal, "page">, link: Link, from: number, to: number): TerminalHour[] {
  const hours = new Map<string, { hour: number; posId: string; tally: Tally }>();
  let before = Number.MAX_SAFE_INTEGER;
  for (let looked = 0; looked < STATISTICS_ROWS; looked += STATISTICS_PAGE) {
    const rows = journal.page(before, STATISTICS_PAGE);
    for (const row of rows) {
      before = row.requestId;
      // Numbers are in the order of arrival.
      if (row.receivedAt < from) return told(hours);
      const { posId, completedAt, completedBy } = row;
      if (!isReal(row) || completedAt === null || completedBy === null || row.receivedAt >= to) continue;
      const { statusCode, responseCode } = currentAnswer(row, link);
      if (statusCode === "22") continue;
      const hour = Math.floor(completedAt / HOUR);
      const key = `${hour} ${posId}`;
      const group = hours.get(key) ?? { hour, posId, tally: emptyTally() };
      hours.set(key, group);
      count(group.tally, { statusCode, completedBy, transType: row.transType, responseCode }, timesOf(row));
    }
    if (rows.length < STATISTICS_PAGE) break;
  }
  return told(hours);
}

function told(hours: ReadonlyMap<string, { hour: number; posId: string; tally: Tally }>): TerminalHour[] {
  return [...hours.values()].map(({ hour, posId, tally: { counts, times } }) => ({
    hour,
    posId,
    counts: [...counts],
    times: [...times],
  }));
}
