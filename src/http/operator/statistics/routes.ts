/** What transactions add up to, and how long they took. */
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import type { Figures, StatisticsBy, StatisticsRow } from "../../../protocol/statistics.ts";
import { figuresOf } from "../../../statistics/figures.ts";
import { emptyTally, type Tally } from "../../../statistics/tally.ts";
import type { Summed } from "../../../storage/statistics.ts";
import { findTerminal } from "../../../storage/terminals.ts";
import { terminalStub } from "../../../terminal/stub.ts";
import { DAY, HOUR } from "../../../time/units.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { invalid, refuse } from "../../errors.ts";
import { query } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { sumOf } from "../overview/overview.ts";
import { NO_TERMINAL } from "../terminals/lookup.ts";
import { hoursOf, storedPart, type Period } from "./period.ts";
import { statisticsQuery } from "./requests.ts";
import type { StatisticsPage } from "./responses.ts";
import { byAccount, byDay, byHour, together } from "./service.ts";

export const statistics = operatorFactory.createApp();

const KEYS = { hour: null, day: null, posId: null, responseCode: null };

statistics.get("/operator/statistics", query(statisticsQuery), async (c) => {
  const { from, to, by = "hour", posId, terminalId, cursor, limit = PAGE_ROWS } = c.req.valid("query");
  const now = Date.now();
  const hours = hoursOf(from, to, now);
  if (hours.from > hours.to) return refuse(c, invalid([{ path: "to", message: "Send a time after from." }]));
  if (cursor !== undefined && by !== "account") {
    // For hours and days, the cursor is the next hour or day.
    if (!/^[0-9]{1,7}$/.test(cursor)) return refuse(c, invalid([{ path: "cursor", message: BAD_CURSOR }]));
    hours.to = by === "day" ? (Number(cursor) + 1) * (DAY / HOUR) - 1 : Number(cursor);
  }
  const stored = storedPart(hours, now);
  const db = c.env.DATABASE;
  const question = { hours: stored, posId, now };
  if (terminalId !== undefined) {
    if ((await findTerminal(db, terminalId)) === null) return refuse(c, NO_TERMINAL);
    const groups = await ofTerminal(c.env, terminalId, stored, posId);
    const rows = rowsOf(by, groups);
    return c.json({ data: rows, next: null } satisfies StatisticsPage);
  }
  if (stored.from > stored.to) return c.json({ data: [], next: null } satisfies StatisticsPage);
  if (by === "responseCode") {
    const rows = codeRows(figuresOf(await together(db, question)));
    return c.json({ data: rows, next: null } satisfies StatisticsPage);
  }
  const { groups, next } =
    by === "hour"
      ? await byHour(db, question, limit)
      : by === "day"
        ? await byDay(db, question, limit)
        : await byAccount(db, question, cursor ?? "", limit);
  return c.json({
    data: groups.map((group) => rowOf(by, group)),
    next: next === null ? null : String(next),
  } satisfies StatisticsPage);
});

const BAD_CURSOR = "Send the cursor from the previous page.";

/** From the terminal's own journal: asks only the object that the operator has named. */
async function ofTerminal(
  env: Env,
  terminalId: string,
  { from, to }: Period,
  posId: string | undefined,
): Promise<Summed[]> {
  const told = await terminalStub(env, terminalId).statistics(from * HOUR, (to + 1) * HOUR);
  return told
    .filter((group) => posId === undefined || group.posId === posId)
    .map(({ hour, counts, times, ...group }) => ({
      unit: hour,
      posId: group.posId,
      tally: { counts: new Map(counts), times: new Map(times) },
    }));
}

function rowsOf(by: StatisticsBy, groups: readonly Summed[]): StatisticsRow[] {
  if (by === "responseCode") return codeRows(figuresOf(sumOf(groups.map(({ tally }) => tally))));
  const keyOf = ({ unit, posId }: Summed): string | number =>
    by === "account" ? (posId ?? "") : by === "day" ? Math.floor((unit ?? 0) / (DAY / HOUR)) : (unit ?? 0);
  const rows = [...Map.groupBy(groups, keyOf)].map(([key, ofKey]) => ({
    unit: typeof key === "number" ? key : null,
    posId: typeof key === "string" ? key : null,
    tally: sumOf(ofKey.map(({ tally }) => tally)),
  }));
  const sorted = rows.toSorted((one, other) =>
    by === "account" ? ((one.posId ?? "") < (other.posId ?? "") ? -1 : 1) : (other.unit ?? 0) - (one.unit ?? 0),
  );
  return sorted.map((row) => rowOf(by, row));
}

function rowOf(by: StatisticsBy, { unit, posId, tally }: Summed): StatisticsRow {
  return {
    ...KEYS,
    ...(by === "hour" ? { hour: isoWithOffset((unit ?? 0) * HOUR, "UTC") } : {}),
    ...(by === "day" ? { day: new Date((unit ?? 0) * DAY).toISOString().slice(0, 10) } : {}),
    ...(by === "account" ? { posId } : {}),
    ...figuresOf(tally),
  };
}

/** A response code has counts only. */
function codeRows({ responseCodes }: Figures): StatisticsRow[] {
  const nothing = figuresOf(emptyTally() satisfies Tally);
  return responseCodes.map((code) => ({
    ...KEYS,
    responseCode: code.responseCode,
    ...nothing,
    transactions: { ...nothing.transactions, [code.statusCode]: code.count },
    responseCodes: [code],
  }));
}
