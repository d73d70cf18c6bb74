/** All parts of the bench, in the order in which they run. */
import type { Measured, SpeedFigures } from "../../../src/docs/build/speed-figures.ts";
import type { Options } from "../options.ts";
import { measureAccount } from "./account.ts";
import { measureCold } from "./cold.ts";
import { measureDistance } from "./distance.ts";
import { measureFleet } from "./fleet.ts";
import { measureFollowing } from "./following.ts";
import { measureJournal } from "./journal.ts";
import { measureLoad } from "./load.ts";
import { measureLogins } from "./logins.ts";
import { measureMemory } from "./memory.ts";
import type { Run } from "./part.ts";

export type PartName = keyof SpeedFigures;

type FiguresOf<Name extends PartName> = Required<SpeedFigures>[Name] extends Measured<infer Figures> ? Figures : never;

type Parts = {
  [Name in PartName]: {
    /** For `--help`. */
    what: string;
    /** About how many seconds it takes where nothing else runs. */
    seconds: (options: Options) => number;
    measure: (run: Run) => Promise<FiguresOf<Name>>;
  };
};

/** One contender's turns of all rounds, in seconds. */
function turns({ rounds, milliseconds }: Options): number {
  return (rounds * milliseconds) / 1_000;
}

export const PARTS: Parts = {
  load: {
    what: "transfers next to both baselines and a plain Node process",
    seconds: (options) => 120 + options.terminals.length * (turns(options) * 4 * 1.2 + 10),
    measure: measureLoad,
  },
  cold: {
    what: "the first sale in a fresh isolate, with fresh objects and databases, 20 times",
    seconds: () => 170,
    measure: measureCold,
  },
  distance: {
    what: "a sale whose till, Worker, objects and terminal are far from each other",
    seconds: () => 300,
    measure: measureDistance,
  },
  logins: {
    what: "a sale while 30 tills log in at once, again and again",
    seconds: () => 230,
    measure: measureLogins,
  },
  following: {
    what: "what a waiting reader of events, and a webhook, of each account add to a sale",
    seconds: (options) => 60 + 2 * (turns(options) * 3 * 1.2 + 10),
    measure: measureFollowing,
  },
  memory: {
    what: "memory of an idle terminal and of an idle account",
    seconds: () => 280,
    measure: measureMemory,
  },
  fleet: {
    what: "cost of a transfer with 1,000 connected terminals; what idle and waiting terminals wake",
    seconds: (options) => 230 + turns(options) * 4 * 1.2,
    measure: measureFleet,
  },
  account: {
    what: "one account with 1,000 terminals and 100 sales a second",
    seconds: () => 320,
    measure: measureAccount,
  },
  journal: {
    what: "cost of a transfer with a million rows in the journal",
    seconds: (options) => 60 + options.rounds * 4.2,
    measure: measureJournal,
  },
};

export const PART_NAMES = Object.keys(PARTS) as PartName[];
