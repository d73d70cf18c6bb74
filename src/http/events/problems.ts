import type { Problem } from "../../protocol/problem.ts";

/**
 * The events after a reader's number are not available. Names the ones that are.
 *
 * @param kept the numbers of the oldest and the newest event; both 0 if there is none
 */
export function outOfRange({ oldest, newest }: { oldest: number; newest: number }): Problem {
  const message =
    newest === 0
      ? "There are no events yet. Send 0."
      : `Events ${oldest} to ${newest} are kept. Send a number from ${oldest - 1} to ${newest}, or 0 to read all of them.`;
  return { path: "after", message };
}
