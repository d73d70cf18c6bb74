import type { Problem } from "../../protocol/problem.ts";

/**
 * A reader's number was never assigned. Names the ones that exist.
 *
 * @param kept the numbers of the oldest and the newest event; both 0 if there is none
 */
export function outOfRange({ oldest, newest }: { oldest: number; newest: number }): Problem {
  const message =
    newest === 0
      ? "There are no events yet. Send 0."
      : `Events ${oldest} to ${newest} are kept. Send a number from 0 to ${newest}.`;
  return { path: "after", message };
}
