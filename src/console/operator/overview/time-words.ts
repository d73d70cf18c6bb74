/** The parts of a payment's time, in words. */
import type { Percentiles } from "../answers.ts";
import type { TimeName } from "../../../protocol/statistics.ts";

export type Timed = Record<TimeName, Percentiles | null>;

export const TIME_WORDS: { name: TimeName; words: string }[] = [
  { name: "gateway", words: "Gateway" },
  { name: "queue", words: "Waiting for the terminal" },
  { name: "delivery", words: "Delivery to the terminal" },
  { name: "customer", words: "Customer and host" },
  { name: "recording", words: "Recording at the account" },
];
