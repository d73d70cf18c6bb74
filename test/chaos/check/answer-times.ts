/** How long tills waited. A wait breaks the promise only while nothing disturbs: neither a fault nor the machine. */
import { typeOf, type Call } from "./calls.ts";
import { sentences } from "./check.ts";

/** The longest waits that the contract allows, and a second for the way, milliseconds. */
export const LONGEST_WAIT = { payment: 91_000, void: 91_000, cancel: 11_000, question: 11_000 } as const;

export const answerTimes = sentences("I3", {
  "While nothing disturbs, a transfer is answered within 90 s, a cancel or inquiry within 10 s.": (check, history) => {
    for (const call of history.calls) {
      const { asked, end, sort } = call;
      const until = end?.at ?? asked.at + LONGEST_WAIT[sort];
      if (!history.faults.isQuiet(asked.at, until)) {
        check.leaves("a fault was active, or had just ended");
        continue;
      }
      if (history.faults.mayHaveStalled(asked.at, until)) {
        check.leaves("nothing at all was written for five seconds: the machine may have stood still");
        continue;
      }
      const waited = waitOf(call);
      if (waited === null) continue;
      check.holds(
        waited <= LONGEST_WAIT[sort],
        () => `${asked.posId} waited ${(waited / 1000).toFixed(1)} s for its ${typeOf(asked)}.`,
        () => [asked, end],
      );
    }
  },
});

/** Milliseconds until the answer; null without one. */
export function waitOf({ asked, end }: Call): number | null {
  return end?.kind === "till.answered" ? end.at - asked.at : null;
}
