import type { AccountEvent } from "../../client/pos.ts";
import { UsageError } from "../invocation.ts";
import type { Call, Command } from "./flags.ts";

/** Prints each event as it arrives: a line for people, or a line of JSON. */
export const events: Command = {
  usage: "events",
  does: "lists the account's events; --after NUMBER; --follow waits for more",
  arguments: [0, 0],
  flags: ["after", "follow"],
  run: async ({ pos, flags, options, print, complain }) => {
    const follow = flags.follow === true;
    const after = numberOf(flags.after);
    const { signal, within } = options;
    const read = pos.events({
      follow,
      // Like `tail`: with --follow, it begins with new events; without, with those that exist.
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

function numberOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^[0-9]{1,15}$/.test(given)) throw new UsageError("--after must be the number of an event, or 0.");
  return Number(given);
}

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
    case "day.closed":
      return [event.data.day];
    default:
      // Also of an event type that is newer than this program.
      return Object.values({ ...(event as { data?: object }).data })
        .flat()
        .filter((value): value is string => typeof value === "string");
  }
}
