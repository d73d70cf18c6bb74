import * as z from "zod";
import { POS_ID_LENGTH } from "../../../../protocol/lengths.ts";
import { STATISTICS_FILTERS } from "../../../../protocol/operator-filters.ts";
import type { StatisticsBy } from "../../../../protocol/statistics.ts";
import { optionalField, textField } from "../../validation/fields.ts";
import { pageQuery } from "../../middleware/pages.ts";
import { BAD_CURSOR, filterShape } from "../filters.ts";
import { PAGE_ROWS } from "../../../../protocol/limits.ts";
import { computeFigures } from "./figures.ts";
import { sumTallies } from "../../../statistics/tally.ts";
import { type Period, type Summed, byAccount, readServiceHours } from "../../../d1/statistics.ts";
import { readTimezones } from "../../../d1/accounts.ts";
import { findTerminal } from "../../../d1/terminals.ts";
import { DAY, HOUR, type EpochMs } from "../../../../protocol/time/units.ts";
import { isoWithOffset } from "../../../../protocol/time/zone.ts";
import { statisticsCsv } from "../../../../protocol/csv.ts";
import { csvAnswer, wantsCsv } from "../../middleware/csv.ts";
import { invalid, refuse } from "../../middleware/errors.ts";
import { query } from "../../validation/validators.ts";
import { operatorFactory, forViewers } from "../authentication.ts";
import { NO_TERMINAL } from "../terminals/lookup.ts";
import { dayIn, wholeHours, hoursOfAccounts, hoursOfTerminal, newest, newestDays, storedPart } from "./period.ts";
import type { Figures, StatisticsPage, StatisticsRow } from "../../../../protocol/schemas/operator-statistics.ts";
import { PAGE_LIMIT, filterNotes, noSuch } from "../words.ts";
import { describeCall } from "../../middleware/describe.ts";

export const statisticsCallQuery = z.object({
  ...filterShape(STATISTICS_FILTERS),
  cursor: optionalField(textField(POS_ID_LENGTH)),
  limit: pageQuery.shape.limit,
});

export const statisticsCalls = operatorFactory.createApp();

const KEYS = { hour: null, day: null, posId: null, responseCode: null };

statisticsCalls.get("/operator/statistics", forViewers, query(statisticsCallQuery), async (c) => {
  const { from, to, by = "hour", posId, shop, terminalId, cursor, limit = PAGE_ROWS } = c.req.valid("query");
  const now = Date.now();
  const hours = wholeHours(from, to, now);
  if (hours.from > hours.to) return refuse(c, invalid([{ path: "to", message: "Send a time after from." }]));
  if (cursor !== undefined && by !== "account") {
    // For hours and days, the cursor is the last hour of the next page.
    if (!/^[0-9]{1,7}$/.test(cursor)) return refuse(c, invalid([{ path: "cursor", message: BAD_CURSOR }]));
    hours.to = Number(cursor);
  }
  const { DATABASE: db } = c.env;
  const terminal = terminalId === undefined ? undefined : await findTerminal(db, terminalId);
  if (terminal === null) return refuse(c, NO_TERMINAL);
  const account = posId ?? terminal?.boundPosId ?? null;
  const timezone = (account === null ? undefined : (await readTimezones(db, [account])).get(account)) ?? "UTC";
  const about = { by, posId, shop, terminalId, timezone };
  const answer = await answerTo(c.env, { ...about, hours: storedPart(hours, now), after: cursor ?? "", limit }, now);
  if (answer === "too-many") return refuse(c, invalid([TOO_LONG]));
  const { data, next } = answer;
  const page: StatisticsPage = { data, next: next === null ? null : String(next) };
  return wantsCsv(c) ? csvAnswer(c, statisticsCsv(page.data), page.next) : c.json(page);
});

describeCall(statisticsCalls, ({ said, listAnswer }) => ({
  tag: "Operator figures",
  operationId: "getStatistics",
  summary: "Read statistics",
  description:
    "What completed transactions add up to, and how long their parts took. A transaction is counted about a minute after it " +
    "was completed. Hours and days are kept for 400 days. With `shop`, or with `by=account` and without `posId`, only the last 62 days " +
    "are known. Times and turnover of a response code are not known. With `terminalId` the figures are computed from that " +
    "terminal's journal, of transactions that were received in this time. An account's days are in its time zone, a terminal's in that of its account; an hour " +
    "that midnight divides counts for the day in which it begins. Groups without a transaction are missing; a page may be empty and still have a `next`.",
  query: {
    ...filterNotes(STATISTICS_FILTERS),
    cursor: said("`next` of the previous page. Without it, the first page.", "POS-1001"),
    limit: PAGE_LIMIT,
  },
  answers: { 200: listAnswer("A page.", "StatisticsPage", statisticsCsv([])), 404: noSuch("terminal") },
}));

interface Question {
  by: StatisticsBy;
  hours: Period;
  posId: string | undefined;
  shop: string | undefined;
  terminalId: string | undefined;
  after: string;
  limit: number;
  /** The zone of the account, or of the terminal's account; UTC for the whole service. */
  timezone: string;
}

interface Answer {
  data: StatisticsRow[];
  next: string | number | null;
}

const TOO_LONG = { path: "from", message: "The shop has too many accounts for so long a time. Send a later from." };

async function answerTo(env: Env, question: Question, now: EpochMs): Promise<Answer | "too-many"> {
  const { by, hours, posId, shop, terminalId, timezone } = question;
  if (terminalId !== undefined) {
    const found = await hoursOfTerminal(env, terminalId, hours, posId);
    return { data: makeRows(by, found, timezone), next: null };
  }
  if (hours.from > hours.to) return { data: [], next: null };
  if (posId === undefined && shop === undefined) return answerForService(env.DATABASE, question);
  const { page, next } = pageOfHours(question);
  const found = await hoursOfAccounts(env, { posId, shop }, page, now);
  return found === "too-many" ? found : { data: makeRows(by, found, timezone), next };
}

/** `next` is an hour of the next page; null on the last page. */
function pageOfHours({ by, hours, limit, timezone }: Question): { page: Period; next: number | null } {
  if (by === "hour") return newest(hours, limit);
  return by === "day" ? newestDays(hours, limit, timezone) : { page: hours, next: null };
}

async function answerForService(db: D1Database, question: Question): Promise<Answer> {
  const { by, hours, after, limit } = question;
  if (by === "account") {
    const { groups, next } = await byAccount(db, hours, after, limit);
    return { data: groups.map((group) => makeRow(by, group, "UTC")), next };
  }
  const { page, next } = pageOfHours(question);
  const groups = await readServiceHours(db, by === "responseCode" ? "whole" : by, page);
  return { data: makeRows(by, groups, "UTC"), next };
}

function makeRows(by: StatisticsBy, groups: readonly Summed[], timezone: string): StatisticsRow[] {
  if (by === "responseCode") return codeRows(computeFigures(sumTallies(groups.map(({ tally }) => tally))), timezone);
  const keyOf = ({ unit, posId }: Summed): string | number =>
    by === "account" ? (posId ?? "") : by === "day" ? dayIn(timezone, unit ?? 0) : (unit ?? 0);
  const rows = [...Map.groupBy(groups, keyOf)].map(([key, ofKey]) => ({
    unit: typeof key === "number" ? key : null,
    posId: typeof key === "string" ? key : null,
    tally: sumTallies(ofKey.map(({ tally }) => tally)),
  }));
  const sorted =
    by === "account"
      ? rows.toSorted((one, other) => ((one.posId ?? "") < (other.posId ?? "") ? -1 : 1))
      : rows.toSorted((one, other) => (other.unit ?? 0) - (one.unit ?? 0));
  return sorted.map((row) => makeRow(by, row, timezone));
}

function makeRow(by: StatisticsBy, { unit, posId, tally }: Summed, timezone: string): StatisticsRow {
  return {
    ...KEYS,
    timezone,
    ...(by === "hour" ? { hour: isoWithOffset((unit ?? 0) * HOUR, timezone) } : {}),
    ...(by === "day" ? { day: new Date((unit ?? 0) * DAY).toISOString().slice(0, 10) } : {}),
    ...(by === "account" ? { posId } : {}),
    ...computeFigures(tally),
  };
}

/** A response code has counts only. */
function codeRows({ responseCodes }: Figures, timezone: string): StatisticsRow[] {
  const nothing = computeFigures(new Map());
  return responseCodes.map((code) => ({
    ...KEYS,
    timezone,
    responseCode: code.responseCode,
    ...nothing,
    transactions: { ...nothing.transactions, [code.statusCode]: code.count },
    responseCodes: [code],
  }));
}
