/** What the gateway has to reach next to the floors. */
import type { Ratio, Summary } from "./report.ts";
import type { Name } from "./subjects/subject.ts";

interface Goal {
  /** Terminals at work. */
  terminals: number;
  to: Name;
  /** What is compared. */
  what: string;
  /** null if the machine does not tell. */
  measured: (ratio: Ratio) => number | null;
  /** The bound, which is within the goal. */
  bound: { least: number } | { most: number };
}

const GOALS: readonly Goal[] = [
  {
    terminals: 50,
    to: "D1 floor",
    what: "throughput ×",
    measured: ({ throughput }) => throughput.all,
    bound: { least: 1 },
  },
  {
    terminals: 50,
    to: "D1 floor",
    what: "CPU per transfer ×",
    measured: ({ cpu }) => cpu?.all ?? null,
    bound: { most: 1 },
  },
  {
    terminals: 50,
    to: "account floor",
    what: "CPU per transfer ×",
    measured: ({ cpu }) => cpu?.all ?? null,
    bound: { most: 1.2 },
  },
  {
    terminals: 1,
    to: "account floor",
    what: "median, milliseconds above",
    measured: ({ addedMedian }) => addedMedian.all,
    bound: { most: 0.5 },
  },
];

export interface Verdict {
  /** As it is shown. */
  goal: string;
  measured: number | null;
  /** null if nothing was measured that the goal is about. */
  met: boolean | null;
}

/** @param onDisk whether databases are on a disk. The goals are for those: one in memory makes nothing wait. */
export function judge(summaries: readonly Summary[], onDisk: boolean): Verdict[] {
  return GOALS.map(({ terminals, to, what, measured, bound }) => {
    const summary = onDisk ? summaries.find((candidate) => candidate.terminals === terminals) : undefined;
    const ratio = summary?.ratios.find((candidate) => candidate.to === to);
    const value = ratio === undefined ? null : measured(ratio);
    const limit = "least" in bound ? `at least ${bound.least}` : `at most ${bound.most}`;
    return {
      goal: `${terminals} ${terminals === 1 ? "terminal" : "terminals"}, ${what} ${to}: ${limit}`,
      measured: value,
      met: value === null ? null : "least" in bound ? value >= bound.least : value <= bound.most,
    };
  });
}

export function printVerdicts(verdicts: readonly Verdict[]): void {
  console.log("\nGoals, with databases on disk");
  for (const { goal, measured, met } of verdicts) {
    const word = met === null ? "not measured" : met ? "met" : "missed";
    console.log(`  ${goal}: ${measured === null ? "" : `${measured.toFixed(2)}, `}${word}`);
  }
}
