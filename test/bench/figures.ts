/** The contents of `src/docs/speed.json`, which `npm run bench --save` writes, and the gateway's goals. */
import { LOGINS, PROMPT } from "../../src/docs/build/speed.ts";

export interface Spread {
  median: number;
  /** Half of the rounds lie between `lower` and `upper`. */
  lower: number;
  upper: number;
}

/** A part that is measured again replaces the one before. */
export interface SpeedFigures {
  load?: Measured<LoadFigures[]>;
  cold?: Measured<ColdFigures>;
  distance?: Measured<DistanceFigures>;
  logins?: Measured<LoginFigures[]>;
  account?: Measured<AccountFigures>;
}

export interface Measured<Figures> {
  /** ISO 8601. */
  at: string;
  machine: string;
  onDisk: boolean;
  /** The share of the machine that other work took just before. */
  othersPercent: number;
  seconds: number;
  figures: Figures;
}

export interface LoadFigures {
  terminals: number;
  rounds: number;
  rows: LoadRow[];
  /** The gateway's value divided by the account baseline's. */
  throughput: Spread;
  cpu: Spread | null;
  /** The gateway's median minus the baseline's, in milliseconds. */
  addedMedian: Spread;
}

/** Over all rounds together. */
export interface LoadRow {
  name: string;
  transfers: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  /** Seconds per 1,000 transfers; null if the machine does not tell. */
  cpu: number | null;
  /** The share of one core that tills and terminals took: near 1 they, not the subject, are the limit. */
  loadCpu: number;
}

/** Milliseconds. */
export interface ColdRow {
  name: string;
  /** From the start of the process until it listens. */
  start: Spread;
  /** Until a terminal is ready. */
  connection: Spread;
  sale: Spread;
}

export interface ColdFigures {
  rounds: number;
  rows: ColdRow[];
  /** The gateway's median of the first sale divided by the account baseline's. */
  ratio: number;
  ratios: Spread;
}

/** Sales between distant places. Times in milliseconds; distances are round trips. */
export interface DistanceFigures {
  till: number;
  object: number;
  rows: DistanceRow[];
}

export interface DistanceRow {
  name: string;
  /**
   * `warm`; `silent`: both objects sleep, and the gateway first asks whether the terminal is there; `cold`: the same in
   * a new isolate.
   */
  state: string;
  /** Distance of the terminal. */
  terminal: number;
  p50: number;
  p99: number;
  /** The least time that the distances allow. */
  least: number;
  /** Round trips on the critical path. */
  objectTrips: number;
  terminalTrips: number;
}

export interface Times {
  count: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

export interface LoginFigures {
  /** One of `LOGINS`. */
  kind: string;
  atOnce: number;
  without: Times;
  beside: Times;
  /** The sales' p99 with logins, divided by the p99 without. */
  ratio: number;
  ratios: Spread;
  /** By status: 429 tells a till to come back. */
  logins: (Times & { status: string })[];
}

/** One account with all terminals, at one rate. */
export interface RateFigures {
  /** Sales sent a second. */
  perSecond: number;
  /** Approved a second, until the last one was answered. */
  approved: number;
  /** Milliseconds until an approval. */
  p50: number;
  p99: number;
  /** How many sales got which answer: a status of HTTP, `statusCode` and `responseCode`, or `no answer`. */
  answers: { kind: string; count: number }[];
  /** The share of the time in which the thread of the Worker and all objects had work; null if the machine does not tell. */
  thread: number | null;
  /** The share of one core that tills and terminals took. */
  loadCpu: number;
}

export interface AccountFigures {
  terminals: number;
  /** From the lowest to the highest. */
  rates: RateFigures[];
}

type Goal = [
  what: string,
  atMost: number,
  /** Null if it was not measured, or the machine does not tell. */
  measured: (figures: SpeedFigures) => { value: number; rounds: Spread | null } | null,
];

const GOALS: readonly Goal[] = [
  [
    "CPU of a sale at 50 terminals, × the baseline's",
    1.3,
    (figures) => spread(onDisk(figures.load)?.find(({ terminals }) => terminals === 50)?.cpu),
  ],
  [
    "median at 1 terminal, ms above the baseline's",
    0.9,
    (figures) => spread(onDisk(figures.load)?.find(({ terminals }) => terminals === 1)?.addedMedian),
  ],
  [
    "first sale, cold, median × the baseline's",
    2,
    (figures) => {
      const cold = onDisk(figures.cold);
      return cold === null ? null : { value: cold.ratio, rounds: cold.ratios };
    },
  ],
  ...Object.entries(LOGINS).map(([kind, logins]): Goal => [
    `p99 next to 30 ${logins} at once, × that without`,
    3,
    (figures) => spread(onDisk(figures.logins)?.find((one) => one.kind === kind)?.ratios),
  ]),
  [
    "p99 at 100 sales a second of one account, ms",
    PROMPT,
    (figures) => {
      const rate = onDisk(figures.account)?.rates.find(({ perSecond }) => perSecond === 100);
      return rate === undefined ? null : { value: rate.p99, rounds: null };
    },
  ],
];

/** `met` and `measured` are null if the goal's figures were not measured. */
export function judge(figures: SpeedFigures) {
  return GOALS.map(([goal, atMost, measured]) => {
    const { value = null, rounds = null } = measured(figures) ?? {};
    return { goal, atMost, measured: value, rounds, met: value === null ? null : value <= atMost };
  });
}

function onDisk<Figures>(part: Measured<Figures> | undefined): Figures | null {
  return part?.onDisk ? part.figures : null;
}

function spread(found: Spread | null | undefined): { value: number; rounds: Spread } | null {
  return found === null || found === undefined ? null : { value: found.median, rounds: found };
}
