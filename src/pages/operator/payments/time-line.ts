import type { Milliseconds } from "../../../protocol/time/units.ts";

export interface TimeLineStep {
  stage: string;
  label: string;
  /** The part of the payment's time that follows. */
  part: Part;
  at: string;
  /** The time since the first stage. */
  offset: Milliseconds;
  /** The time until the next stage; null for the last one. */
  took: Milliseconds | null;
  /** Where the bar begins and how wide it is, in percent of the whole. */
  begin: number;
  length: number;
}

/**
 * The parts into which statistics split a payment's time. `waiting`: everybody waits for the outcome, and nobody works
 * on it.
 */
export type Part = "gateway" | "queue" | "delivery" | "customer" | "waiting" | "end";

const LABELS: Record<string, { label: string; part: Part }> = {
  received: { label: "The gateway has the request", part: "gateway" },
  queued: { label: "Waits for the terminal", part: "queue" },
  sent: { label: "Sent to the terminal", part: "delivery" },
  accepted: { label: "The terminal has the request", part: "customer" },
  present: { label: "Waits for card or phone", part: "customer" },
  reading: { label: "Reads the card", part: "customer" },
  pin: { label: "Customer enters the PIN", part: "customer" },
  scan: { label: "Scans the code", part: "customer" },
  authorising: { label: "Asks the bank", part: "customer" },
  printing: { label: "Prints the receipt", part: "customer" },
  pending: { label: "Outcome not known", part: "waiting" },
  completed: { label: "Completed", part: "end" },
};

/** Lists them in the order of their times. */
export function listSteps(stages: readonly { stage: string; at: string }[]): TimeLineStep[] {
  const sorted = stages.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const times = sorted.map(({ at }) => Date.parse(at));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  // A step within a millisecond still has a visible bar.
  const whole = Math.max(1, last - first);
  return sorted.map(({ stage, at }, index) => {
    const begun = times[index] ?? first;
    const next = times[index + 1];
    const took = next === undefined ? null : next - begun;
    return {
      stage,
      ...(LABELS[stage] ?? { label: stage, part: "customer" as const }),
      at,
      offset: begun - first,
      took,
      begin: ((begun - first) / whole) * 100,
      length: ((took ?? 0) / whole) * 100,
    };
  });
}
