/** What the account has recorded, as lines for people or as lines of JSON: events, transactions, totals. */
import type { AccountEvent, AccountTransaction, DayTotals, PosClient } from "../../client/pos.ts";
import type { Call, Command, Flags } from "./flags.ts";

/** Prints each event as it arrives: a line for people, or a line of JSON. */
export const events: Command = {
  usage: "events",
  does: "lists the account's events; --after NUMBER; --follow waits for more",
  flags: ["after", "follow"],
  run: async ({ pos, flags, options, print, complain }) => {
    const follow = flags.follow === true;
    const { after } = flags;
    const { signal, within } = options;
    const read = pos.events({
      follow,
      // Like `tail`: with --follow, it begins with new events; without, with the existing ones.
      ...(after === undefined && follow ? {} : { after: after ?? 0 }),
      signal,
      within,
      onProblem: once(complain),
      onSkipped: (skipped) => complain(`${skipped} events are missing here: they were deleted after 400 days.`),
    });
    for await (const event of read) print({ kind: "event", event });
    return null;
  },
};

/** Reports once that the gateway does not answer, and once that it is back. */
function once(complain: Call["complain"]): (problem: { message: string } | null) => void {
  let isDown = false;
  return (problem) => {
    if (problem === null) complain("Reading events again.");
    else if (!isDown) complain(`${problem.message} Trying again.`);
    isDown = problem !== null;
  };
}

/** `42  2026-11-20 10:15:42  transaction.completed  00  sale     12.50 MYR  T-0001  R-20261120-0001` */
export function eventLine(event: AccountEvent): string {
  const { number, timestamp, type } = event;
  const time = timestamp.slice(0, 19).replace("T", " ");
  return [String(number).padStart(6), time, type.padEnd("transaction.completed".length), ...partsOf(event)]
    .join("  ")
    .trimEnd();
}

function partsOf(event: AccountEvent): string[] {
  switch (event.type) {
    case "transaction.pending":
    case "transaction.completed":
    case "transaction.updated": {
      const { statusCode, transType, transAmt, currency, deviceId, referenceId, voidedBy } = event.data;
      const amount = `${transAmt ?? "-"} ${currency}`.padStart(14);
      const voided = voidedBy === null ? [] : [`voided by ${voidedBy.referenceId}`];
      return [statusCode, transType.padEnd("cashOut".length), amount, deviceId, referenceId, ...voided];
    }
    case "transaction.contradicted": {
      const { transaction, reported } = event.data;
      const { statusCode, deviceId, referenceId } = transaction;
      return [statusCode, `the terminal reports ${reported.statusCode}`, deviceId, referenceId];
    }
    case "day.closed":
      return [event.data.day];
    default:
      // Also of an event type that is newer than this program.
      return Object.values({ ...(event as { data?: object }).data })
        .flat()
        .filter((value): value is string => typeof value === "string");
  }
}

/** How many transactions are shown without `--limit`. */
const USUAL_LIMIT = 20;

type Filters = Parameters<PosClient["transactions"]>[0];

/** Prints each transaction: a line for people, or a line of JSON. */
export const transactions: Command = {
  usage: "transactions",
  does: "transactions with their outcomes, newest first; --day --device --status --type --about --limit",
  flags: ["day", "device", "status", "type", "about", "limit"],
  run: async ({ pos, flags, options, print }) => {
    let left = flags.limit ?? USUAL_LIMIT;
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
  flags: ["day", "device"],
  run: async ({ pos, flags, options }) => {
    const told = await pos.totals({ day: flags.day, deviceId: flags.device }, options);
    return { kind: "totals", totals: told };
  },
};

/** The gateway checks the filters and names the wrong ones. */
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
