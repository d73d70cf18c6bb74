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
  following?: Measured<FollowingFigures[]>;
  memory?: Measured<MemoryFigures>;
  fleet?: Measured<FleetFigures>;
  account?: Measured<AccountFigures>;
  journal?: Measured<JournalFigures>;
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
  ratios: LoadRatio[];
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

/** The gateway by another one. */
export interface LoadRatio {
  to: string;
  throughput: Spread;
  cpu: Spread | null;
  /** Milliseconds that the gateway's median is above. */
  addedMedian: Spread;
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
  /** How the tills say who they are: `signed`, with a `drawn` password, with a `chosen` one; or who forges what. */
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

/** What a reader of events, or a webhook, of each account adds to its sales. */
export interface FollowingFigures {
  /** At work; each has an account of its own. */
  terminals: number;
  rounds: number;
  /** Without any. */
  alone: { p50: number; cpu: number | null };
  rows: {
    /** `reader` or `webhook`. */
    what: string;
    events: number;
    /** Milliseconds that the median is above. */
    addedMedian: Spread;
    /** CPU seconds that 1,000 transfers take in addition. */
    addedCpu: Spread | null;
  }[];
}

/** Bytes that each takes; null if the machine does not tell. */
export interface MemoryFigures {
  rows: {
    name: string;
    /** Connected, its object asleep. */
    terminal: number | null;
    /** Its object in memory, doing nothing. */
    awakeAccount: number | null;
    /** Its object was in memory before. */
    evictedAccount: number | null;
  }[];
}

export interface FleetFigures {
  few: number;
  many: number;
  /** Customers that take their time at once, and how many milliseconds. */
  waiting: number;
  customer: number;
  rows: {
    name: string;
    /** CPU per transfer at many connected terminals by that at few. */
    cpu: Spread | null;
    /** While all terminals only send heartbeats: the most objects that were awake, and how many files were written. */
    awake: number | null;
    written: number;
    /** Objects awake just before the customers have paid. */
    awakeWaiting: number | null;
    /** Milliseconds of a sale at a terminal whose object sleeps, the median of a few at once. */
    asleep: number;
  }[];
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
  /** Milliseconds after the last answer until the account had recorded every sale, the most; null: never. */
  recordedAfter: number | null;
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

export interface JournalFigures {
  journalRows: number;
  /** CPU per transfer at a terminal with so long a journal by that at one with a few rows. */
  cpu: Spread | null;
}

/** More other work than this share of the machine makes times longer. */
export const QUIET_PERCENT = 10;

/** Goals are for databases on disk. */
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
    what: "CPU per transfer at 50 terminals, × the account baseline's",
    bound: { most: 1.3 },
    measured: (figures) => spread(ratioTo(figures, 50, "account baseline")?.cpu),
  },
  {
    what: "milliseconds that the median at one terminal is above the account baseline's",
    bound: { most: 0.9 },
    measured: (figures) => spread(ratioTo(figures, 1, "account baseline")?.addedMedian),
  },
];

const COLD: Goal = {
  what: "first sale, cold, median × the account baseline's",
  bound: { most: 2 },
  measured: ({ cold }) =>
    cold === undefined || !cold.onDisk ? null : { value: cold.figures.ratio, rounds: cold.figures.ratios },
};

const LOGINS = (["signed", "drawn", "chosen"] as const).map((kind): Goal => ({
  what: `p99 of sales beside 30 logins at once (${kind}), × that without`,
  bound: { most: 3 },
  measured({ logins }) {
    const found = logins?.onDisk ? logins.figures.find((one) => one.kind === kind) : undefined;
    return found === undefined ? null : spread(found.ratios);
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
