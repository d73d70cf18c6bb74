/**
 * Sums of a day per terminal, so that one mark freezes the totals of each terminal and of all together. Amounts are in
 * hundredths.
 */
import { decimal, hundredths } from "../../protocol/amounts.ts";
import { DAY_GRACE, CHANNELS_A_DAY, OTHER_CHANNELS } from "../../protocol/limits.ts";
import { DAY, type EpochMs } from "../../protocol/time/units.ts";
import { localDate, nextMidnight } from "../../protocol/time/zone.ts";
import type { AccountTransaction } from "../../protocol/events.ts";
import type { TotalsLine } from "../../protocol/totals.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";

/**
 * A business day is a date in the account's time zone, `YYYY-MM-DD`; dates compare as strings. A day may have 23 or 25 hours, a zone may skip a date, and an account may change its zone, so a day is
 * never derived from another by adding hours.
 */

export function dayAfter(day: string): string {
  return otherDay(day, DAY);
}

/**
 * A completion counts for its local date, or for the first open day if that date is closed.
 *
 * @param closedDay the newest closed day
 */
export function findBusinessDay(completedAt: EpochMs, timezone: string, closedDay: string): string {
  const date = localDate(completedAt, timezone);
  return date > closedDay ? date : dayAfter(closedDay);
}

export function dueDay(now: EpochMs, timezone: string): string {
  // Both dates are needed: if clocks go back over midnight, a date occurs twice.
  const [before, today] = [localDate(now - DAY_GRACE, timezone), localDate(now, timezone)];
  return otherDay(before < today ? before : today, -DAY);
}

/** Returns the first instant at which a day is due to be closed. */
export function closingTime(day: string, timezone: string): number {
  // The search begins before the end of the day in every zone: none is further ahead of UTC than 14 hours.
  let at = Date.parse(day);
  while (dueDay(at, timezone) < day) {
    at = localDate(at, timezone) > day ? at + DAY_GRACE : nextMidnight(at, timezone);
  }
  return at;
}

function otherDay(day: string, milliseconds: number): string {
  return new Date(Date.parse(day) + milliseconds).toISOString().slice(0, 10);
}

export interface TallyLine {
  currency: string;
  transType: TransactionType;
  paymentChannel: string | null;
  approved: number;
  transAmt: number;
  cashAmt: number;
  notApproved: number;
}

type Lines = Map<string, TallyLine>;

/** The lines by terminal and by what they count, and the channels that are counted apart. */
export interface DayTally {
  devices: Map<string, Lines>;
  channels: Set<string>;
}

export function buildDayTally(lines: Iterable<readonly [deviceId: string, lines: readonly TallyLine[]]>): DayTally {
  const tally: DayTally = { devices: new Map(), channels: new Set() };
  for (const [deviceId, ofDevice] of lines) {
    tally.devices.set(deviceId, new Map(ofDevice.map((line) => [formatLineKey(line), line])));
    for (const { paymentChannel } of ofDevice) if (paymentChannel !== null) tally.channels.add(paymentChannel);
  }
  return tally;
}

/** The factor of an amount in a sum, decided for each type. Voids have their own lines, and are not subtracted. */
const ADDS: Record<TransactionType, number> = { sale: 1, cashOut: 1, void: 1 };

/** @returns hundredths; null: unknown */
export function addedBy(transType: TransactionType, amount: string | null): number | null {
  return amount === null ? null : ADDS[transType] * hundredths(amount);
}

/** Changes the tally, because a copy for each of a day's transactions would cost more than all the rest. */
export function countInDay(tally: DayTally, transaction: AccountTransaction): void {
  const { deviceId, currency, transType, statusCode, transAmt, cashAmt } = transaction;
  const paymentChannel = channelIn(tally, transaction.paymentChannel);
  const lines = tally.devices.get(deviceId) ?? new Map<string, TallyLine>();
  tally.devices.set(deviceId, lines);
  const line = lineIn(lines, { currency, transType, paymentChannel });
  if (statusCode === "11") line.notApproved++;
  if (statusCode !== "00") return;
  line.approved++;
  line.transAmt += addedBy(transType, transAmt) ?? 0;
  line.cashAmt += addedBy(transType, cashAmt) ?? 0;
}

/** @param deviceId null: all terminals together */
export function sumTotals({ devices }: DayTally, deviceId: string | null): TotalsLine[] {
  const wanted = deviceId === null ? [...devices.values()] : [devices.get(deviceId) ?? new Map<string, TallyLine>()];
  const sums: Lines = new Map();
  for (const line of wanted.flatMap((lines) => [...lines.values()])) {
    const sum = lineIn(sums, line);
    sum.approved += line.approved;
    sum.transAmt += line.transAmt;
    sum.cashAmt += line.cashAmt;
    sum.notApproved += line.notApproved;
  }
  return [...sums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { currency, transType, paymentChannel, approved, transAmt, cashAmt, notApproved }]) => ({
      currency,
      transType,
      paymentChannel,
      approved: { count: approved, transAmt: decimal(transAmt), cashAmt: decimal(cashAmt) },
      notApproved: { count: notApproved },
    }));
}

type Kind = Pick<TallyLine, "currency" | "transType" | "paymentChannel">;

function lineIn(lines: Lines, { currency, transType, paymentChannel }: Kind): TallyLine {
  const kind = { currency, transType, paymentChannel };
  const key = formatLineKey(kind);
  const line = lines.get(key) ?? { ...kind, approved: 0, transAmt: 0, cashAmt: 0, notApproved: 0 };
  lines.set(key, line);
  return line;
}

/** Neither a currency nor a type contains a space. */
function formatLineKey({ currency, transType, paymentChannel }: Kind): string {
  return [currency, transType, ...(paymentChannel === null ? [] : [paymentChannel])].join(" ");
}

function channelIn({ channels }: DayTally, channel: string | null): string | null {
  if (channel === null || channels.has(channel)) return channel;
  if (channels.size >= CHANNELS_A_DAY) return OTHER_CHANNELS;
  channels.add(channel);
  return channel;
}
