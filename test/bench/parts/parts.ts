/** All parts of the bench, in the order in which they run. */
import type { Measured, SpeedFigures } from "../figures.ts";
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
    measure: (run: Run) => Promise<FiguresOf<Name>>;
  };
};

export const PARTS: Parts = {
  load: {
    what: "transfers next to the baseline",
    measure: measureLoad,
  },
  cold: {
    what: "the first sale in a fresh isolate, with fresh objects and databases, 20 times",
    measure: measureCold,
  },
  distance: {
    what: "a sale whose till, Worker, objects and terminal are far from each other",
    measure: measureDistance,
  },
  logins: {
    what: "a sale while 30 tills log in at once, again and again",
    measure: measureLogins,
  },
  account: {
    what: "the sales a second that one account with 1,000 terminals carries",
    measure: measureAccount,
  },
};

export const PART_NAMES = Object.keys(PARTS) as PartName[];
