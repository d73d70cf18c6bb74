/** All parts of the bench, in the order in which they run. */
import type { Measured, SpeedFigures } from "../../../src/docs/build/speed-figures.ts";
import type { Options } from "../options.ts";
import { measureAccount } from "./account.ts";
import { measureCold } from "./cold.ts";
import { measureDistance } from "./distance.ts";
import { measureLoad } from "./load.ts";
import { measureLogins } from "./logins.ts";
import type { Run } from "./run.ts";

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

export const PARTS: Parts = {
  load: {
    what: "transfers next to the baseline",
    seconds: ({ terminals, rounds, milliseconds }) =>
      60 + terminals.length * (((rounds * milliseconds) / 1_000) * 2 * 1.2 + 10),
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
  account: {
    what: "one account with 1,000 terminals and 100 sales a second",
    seconds: () => 320,
    measure: measureAccount,
  },
};

export const PART_NAMES = Object.keys(PARTS) as PartName[];
