import type { Problem } from "../../protocol/problem.ts";

/**
 * What is behind a reader's number is not there. Says what is.
 *
 * @param kept the numbers of the oldest and the newest event; both 0: none
 */
export function outOfRange({ oldest, newest }: { oldest: number; newest: number }): Problem {
  const message =
    newest === 0
      ? "There are no events yet. Send 0."
      : `Events ${oldest} to ${newest} are kept. Send a number from ${oldest - 1} to ${newest}, or 0 to read all of them.`;
  return { path: "after", message };
}
