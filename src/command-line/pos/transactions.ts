import type { AccountTransaction, DayTotals, PosClient } from "../../client/pos.ts";
import { UsageError } from "../invocation.ts";
import type { Command, Flags } from "./flags.ts";

/** How many transactions are shown without `--limit`. */
const USUAL_LIMIT = 20;

type Filters = Parameters<PosClient["transactions"]>[0];

/** Prints each transaction: a line for people, or a line of JSON. */
export const transactions: Command = {
  usage: "transactions",
  does: "transactions with their outcomes, newest first; --day --device --status --type --about --limit",
  arguments: [0, 0],
  flags: ["day", "device", "status", "type", "about", "limit"],
  run: async ({ pos, flags, options, print }) => {
    let left = limitOf(flags.limit);
    for await (const transaction of pos.transactions(filtersOf(flags), options)) {
      print({ kind: "transaction", transaction });
      if (--left === 0) break;
    }
    return null;
  },
};

export const totals: Command = {
  usage: "totals",
  does: "totals of the open day, or --day DATE; --device ID",
  arguments: [0, 0],
  flags: ["day", "device"],
  run: async ({ pos, flags, options }) => {
    const told = await pos.totals({ day: flags.day, deviceId: flags.device }, options);
    return { kind: "totals", totals: told };
  },
};

function limitOf(given: string | undefined): number {
  if (given === undefined) return USUAL_LIMIT;
  if (!/^[1-9][0-9]{0,8}$/.test(given)) throw new UsageError("--limit must be a number from 1 on.");
  return Number(given);
}

/** The gateway checks the filters and names those that are wrong. */
function filtersOf({ day, device, status, type, about }: Flags): Filters {
  return { day, deviceId: device, statusCode: status, transType: type, referenceId: about } as Filters;
}

/** `2026-11-20 10:15:42  00  sale     12.50 MYR  T-0001  R-20261120-0001  VISA` */
export function transactionLine(transaction: AccountTransaction): string {
  const { statusCode, responseCode, transType, transAmt, currency, deviceId, referenceId } = transaction;
  const { completedAt, receivedAt, paymentChannel, voidedBy } = transaction;
  const time = (completedAt ?? receivedAt).slice(0, 19).replace("T", " ");
  const amount = `${transAmt ?? "-"} ${currency}`.padStart(14);
  const voided = voidedBy === null ? [] : [`voided by ${voidedBy.referenceId}`];
  const how = statusCode === "00" ? (paymentChannel ?? "-") : responseCode;
  return [time, statusCode, transType.padEnd("cashOut".length), amount, deviceId, referenceId, how, ...voided].join(
    "  ",
  );
}

/** The day, then a row for each line. */
export function totalsText({ day, timezone, closed, closesAt, deviceId, unresolved, data }: DayTotals): string {
  const whose = deviceId === null ? "all terminals" : deviceId;
  const open =
    unresolved === null || unresolved.count === 0
      ? []
      : [`  22 now: ${unresolved.count}, ${unresolved.transAmt ?? "in several currencies"}`];
  const rows = data.map(({ currency, transType, paymentChannel, approved, notApproved }) => [
    transType,
    paymentChannel ?? "-",
    String(approved.count),
    `${approved.transAmt} ${currency}`,
    approved.cashAmt,
    String(notApproved.count),
  ]);
  const table = rows.length === 0 ? ["  Nothing was completed."] : aligned([HEAD, ...rows]);
  const state = closed ? "closed" : `open, closes at ${closesAt.slice(0, 16).replace("T", " ")}`;
  return [`${day}  ${state}  ${timezone}  ${whose}`, ...table, ...open].join("\n");
}

const HEAD = ["type", "channel", "00", "amount", "cash", "11"];

/** Names to the left, numbers to the right. */
function aligned(rows: string[][]): string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((cells) => `  ${cells.map(pad).join("  ")}`);
}
