import { decimal } from "../../../../protocol/amounts.ts";
import { BUCKETS, OTHER_CODES, type TimeName, TIMES } from "../../../../protocol/statistics.ts";
import { TRANSACTION_TYPES } from "../../../../protocol/transfer-types.ts";
import { bucketKey, type OutcomeKind, parseOutcomeKey, type Tally, turnoversIn } from "../../../statistics/tally.ts";
import type {
  Figures,
  Histogram,
  HourFigures,
  ResponseCodeCount,
  Times,
} from "../../../../protocol/schemas/operator-statistics.ts";

/** One answer has at most this many response codes; the rest counts as `OTHER_CODES`. */
export const CODES_SHOWN = 50;

interface Counted extends OutcomeKind {
  count: number;
}

export function computeFigures(tally: Tally): Figures {
  const counted = countKinds(tally);
  const sum = (isMeant: (kind: OutcomeKind) => boolean): number =>
    counted.reduce((before, kind) => before + (isMeant(kind) ? kind.count : 0), 0);
  return {
    ...computeChart(tally, counted),
    transTypes: Object.fromEntries(
      TRANSACTION_TYPES.map((type) => [type, sum(({ transType }) => transType === type)]),
    ) as Figures["transTypes"],
    responseCodes: countResponseCodes(counted),
  };
}

export function computeChart(tally: Tally, counted = countKinds(tally)): Omit<HourFigures, "hour"> {
  return {
    transactions: countStatuses(counted),
    turnover: turnoversIn(tally).map(([currency, amount]) => ({ currency, transAmt: decimal(amount) })),
    approvalRate: computeApprovalRate(counted),
    ...readTimes(tally),
  };
}

/** Lists the most frequent reason first. */
export function listNotApproved({ responseCodes }: Figures): ResponseCodeCount[] {
  return responseCodes.filter(({ statusCode }) => statusCode === "11");
}

function countKinds(tally: Tally): Counted[] {
  return [...tally].flatMap(([key, count]) => {
    const kind = parseOutcomeKey(key);
    return kind === null ? [] : [{ ...kind, count }];
  });
}

function countStatuses(counted: readonly Counted[]): Figures["transactions"] {
  const statuses: Figures["transactions"] = { "00": 0, "11": 0 };
  for (const { statusCode, count } of counted) statuses[statusCode] += count;
  return statuses;
}

/** Counts no transactions that the gateway or an operator ended: they say nothing about cards. */
function computeApprovalRate(counted: readonly Counted[]): number | null {
  const { "00": approved } = countStatuses(counted);
  const declined = countStatuses(counted.filter(({ completedBy }) => completedBy === "terminal"))["11"];
  return approved + declined === 0 ? null : approved / (approved + declined);
}

function countResponseCodes(counted: readonly Counted[]): ResponseCodeCount[] {
  const codes = new Map<string, ResponseCodeCount>();
  for (const { statusCode, responseCode, count } of counted) add(codes, { statusCode, responseCode, count });
  const sorted = [...codes.values()].toSorted(
    (one, other) => other.count - one.count || (one.responseCode < other.responseCode ? -1 : 1),
  );
  const rest = new Map<string, ResponseCodeCount>();
  for (const code of sorted.slice(CODES_SHOWN)) add(rest, { ...code, responseCode: OTHER_CODES });
  return [...sorted.slice(0, CODES_SHOWN), ...rest.values()];
}

function add(codes: Map<string, ResponseCodeCount>, code: ResponseCodeCount): void {
  const key = `${code.statusCode} ${code.responseCode}`;
  codes.set(key, { ...code, count: code.count + (codes.get(key)?.count ?? 0) });
}

function readTimes(tally: Tally): Times {
  return Object.fromEntries(TIMES.map((name) => [name, readHistogram(tally, name)])) as Times;
}

function readHistogram(tally: Tally, name: TimeName): Histogram | null {
  let count = 0;
  const within = Object.fromEntries(
    BUCKETS.map((bound) => [String(bound), (count += tally.get(bucketKey(name, bound)) ?? 0)]),
  );
  count += tally.get(bucketKey(name, Infinity)) ?? 0;
  return count === 0 ? null : ({ count, within } as Histogram);
}
