/** What `speed.json` holds: measured by `npm run bench`, which writes it with `--save`. And what the gateway has to reach. */

/** Over the rounds of a measurement. */
export interface Spread {
  median: number;
  /** Half of the rounds lie between. */
  lower: number;
  upper: number;
}

/** What was measured in one run. A part that was measured again replaces the one before. */
export interface SpeedFigures {
  load?: Measured<LoadFigures[]>;
  cold?: Measured<ColdFigures>;
  distance?: Measured<DistanceFigures>;
  logins?: Measured<LoginFigures[]>;
  account?: Measured<AccountFigures>;
}

export interface Measured<Figures> {
  /** When, ISO 8601. */
  at: string;
  machine: string;
  /** Whether databases were on a disk, or in memory. */
  onDisk: boolean;
  /** The share of the machine that other work took just before. */
  othersPercent: number;
  /** How long it took. */
  seconds: number;
  figures: Figures;
}

/** Transfers of so many terminals at work. */
export interface LoadFigures {
  terminals: number;
  rounds: number;
  rows: LoadRow[];
  /** The gateway by the account baseline. */
  throughput: Spread;
  cpu: Spread | null;
  /** Milliseconds that the gateway's median is above. */
  addedMedian: Spread;
}

/** Of all rounds together. */
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
  /** Of a terminal, until it is ready. */
  connection: Spread;
  /** The first sale. */
  sale: Spread;
}

export interface ColdFigures {
  rounds: number;
  rows: ColdRow[];
  /** The gateway's median of the first sale by the account baseline's. */
  ratio: number;
  /** The same in each round. */
  ratios: Spread;
}

/** Sales between places at a distance. Milliseconds; distances are there and back. */
export interface DistanceFigures {
  till: number;
  object: number;
  rows: DistanceRow[];
}

export interface DistanceRow {
  name: string;
  /** `warm`; `silent`: both objects sleep, and the terminal is asked whether it is there; `cold`: in a new isolate, too. */
  state: string;
  /** How far away the terminal is. */
  terminal: number;
  p50: number;
  p99: number;
  /** What the distances allow at best. */
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

/** Sales while tills log in. */
export interface LoginFigures {
  /** How the tills say who they are: `signed`, with a `drawn` password, or with a `chosen` one. */
  kind: string;
  atOnce: number;
  without: Times;
  beside: Times;
  /** The sales' p99 with logins, divided by the p99 without. */
  ratio: number;
  /** The same in each round. */
  ratios: Spread;
  /** The logins, by the status of their answers: 429 tells a till to come back. */
  logins: (Times & { status: string })[];
}

/** A steady stream of sales. */
export interface PacedFigures {
  /** Sales a second that were answered. */
  perSecond: number;
  /** Sales that were not answered yet when the last one was sent, the most of all rounds. */
  behind: number;
  /** Sales that were not approved. */
  refused: number;
  keepsUp: boolean;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Seconds per 1,000 sales; null if the machine does not tell. */
  cpu: number | null;
}

/** All terminals at one account, next to as many at several accounts. */
export interface AccountFigures {
  terminals: number;
  perSecond: number;
  accounts: number;
  rows: {
    name: string;
    one: PacedFigures;
    many: PacedFigures;
    /** CPU per sale at one account by that at many. */
    cpu: Spread | null;
  }[];
}

/** More other work than this share of the machine makes times longer. */
export const QUIET_PERCENT = 10;

type Goal = [
  what: string,
  atMost: number,
  /** null if it was not measured, or the machine does not tell. */
  measured: (figures: SpeedFigures) => { value: number; rounds: Spread | null } | null,
];

/** For databases on disk. */
const GOALS: readonly Goal[] = [
  [
    "CPU per transfer at 50 terminals, × the account baseline's",
    1.3,
    (figures) => spread(onDisk(figures.load)?.find(({ terminals }) => terminals === 50)?.cpu),
  ],
  [
    "milliseconds that the median at one terminal is above the account baseline's",
    0.9,
    (figures) => spread(onDisk(figures.load)?.find(({ terminals }) => terminals === 1)?.addedMedian),
  ],
  [
    "first sale, cold, median × the account baseline's",
    2,
    (figures) => {
      const cold = onDisk(figures.cold);
      return cold === null ? null : { value: cold.ratio, rounds: cold.ratios };
    },
  ],
  ...(["signed", "drawn", "chosen"] as const).map((kind): Goal => [
    `p99 of sales beside 30 logins at once (${kind}), × that without`,
    3,
    (figures) => spread(onDisk(figures.logins)?.find((one) => one.kind === kind)?.ratios),
  ]),
  [
    "sales unanswered or refused at the end of 100 a second at one account",
    50,
    (figures) => {
      const own = onDisk(figures.account)?.rows.find(({ name }) => name === "gateway");
      return own === undefined ? null : { value: own.one.behind + own.one.refused, rounds: null };
    },
  ],
];

/** Whether each goal is met; `met` and `measured` are null if nothing was measured that the goal is about. */
export function judge(figures: SpeedFigures) {
  return GOALS.map(([goal, atMost, measured]) => {
    const { value = null, rounds = null } = measured(figures) ?? {};
    return { goal, bound: `at most ${atMost}`, measured: value, rounds, met: value === null ? null : value <= atMost };
  });
}

function onDisk<Figures>(part: Measured<Figures> | undefined): Figures | null {
  return part?.onDisk ? part.figures : null;
}

/** A spread's median, with how far the rounds lie apart. */
function spread(found: Spread | null | undefined): { value: number; rounds: Spread } | null {
  return found === null || found === undefined ? null : { value: found.median, rounds: found };
}
