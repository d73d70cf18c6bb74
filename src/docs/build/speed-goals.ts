/** What the gateway has to reach, and whether a measurement says that it does. Goals are for databases on disk. */
import type { LoadRatio, SpeedFigures, Spread } from "./speed-figures.ts";

/** More other work than this share of the machine makes times longer. */
export const QUIET_PERCENT = 10;

interface Goal {
  /** What is measured. */
  what: string;
  /** The bound, which is within the goal. */
  bound: { least: number } | { most: number };
  /** null if it was not measured, or the machine does not tell. */
  measured: (figures: SpeedFigures) => { value: number; rounds: Spread | null } | null;
}

const LOAD: readonly Goal[] = [
  {
    what: "throughput at 50 terminals, × the D1 baseline's",
    bound: { least: 1 },
    measured: (figures) => spread(ratioTo(figures, 50, "D1 baseline")?.throughput),
  },
  {
    what: "CPU per transfer at 50 terminals, × the D1 baseline's",
    bound: { most: 1 },
    measured: (figures) => spread(ratioTo(figures, 50, "D1 baseline")?.cpu),
  },
  {
    what: "CPU per transfer at 50 terminals, × the account baseline's",
    bound: { most: 1.2 },
    measured: (figures) => spread(ratioTo(figures, 50, "account baseline")?.cpu),
  },
  {
    what: "milliseconds that the median at one terminal is above the account baseline's",
    bound: { most: 0.5 },
    measured: (figures) => spread(ratioTo(figures, 1, "account baseline")?.addedMedian),
  },
];

const COLD: Goal = {
  what: "first sale, cold, median × the account baseline's",
  bound: { most: 1.2 },
  measured: ({ cold }) =>
    cold === undefined || !cold.onDisk ? null : { value: cold.figures.ratio, rounds: cold.figures.ratios },
};

const LOGINS = (["signed", "drawn", "chosen"] as const).map((kind): Goal => ({
  what: `p99 of sales beside 30 logins at once (${kind}), × that without`,
  bound: { most: 3 },
  measured({ logins }) {
    const found = logins?.onDisk ? logins.figures.find((one) => one.kind === kind) : undefined;
    return found === undefined ? null : { value: found.ratio, rounds: found.ratios };
  },
}));

const ACCOUNT: Goal = {
  what: "sales unanswered or refused at the end of 100 a second at one account",
  bound: { most: 50 },
  measured({ account }) {
    const own = account?.onDisk ? account.figures.rows.find(({ name }) => name === "gateway") : undefined;
    return own === undefined ? null : { value: own.one.behind + own.one.refused, rounds: null };
  },
};

const GOALS: readonly Goal[] = [...LOAD, COLD, ...LOGINS, ACCOUNT];

export interface Verdict {
  goal: string;
  /** `at least 1`. */
  bound: string;
  measured: number | null;
  rounds: Spread | null;
  /** null if nothing was measured that the goal is about. */
  met: boolean | null;
}

export function judge(figures: SpeedFigures): Verdict[] {
  return GOALS.map(({ what, bound, measured }) => {
    const { value = null, rounds = null } = measured(figures) ?? {};
    const met = value === null ? null : "least" in bound ? value >= bound.least : value <= bound.most;
    return {
      goal: what,
      bound: "least" in bound ? `at least ${bound.least}` : `at most ${bound.most}`,
      measured: value,
      rounds,
      met,
    };
  });
}

function ratioTo({ load }: SpeedFigures, terminals: number, to: string): LoadRatio | undefined {
  const found = load?.onDisk ? load.figures.find((one) => one.terminals === terminals) : undefined;
  return found?.ratios.find((one) => one.to === to);
}

/** A spread's median, with how far the rounds lie apart. */
function spread(found: Spread | null | undefined): { value: number; rounds: Spread } | null {
  return found === null || found === undefined ? null : { value: found.median, rounds: found };
}
