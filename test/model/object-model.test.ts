/**
 * The same histories as in `lane-model.test.ts`, by the same chance and before the same oracle, against the real object
 * in workerd: its SQLite, its hibernating sockets, its alarm, its death and its coming back, storage that breaks in the
 * middle of a turn, and a D1 that refuses its notes (`faults.ts`). One in seven goes over
 * HTTP, from token to signature; in the others tills and devices speak with the object as the Worker does, past the D1
 * that takes most of the time.
 *
 * MODEL_SEED (default 1, or `random`), OBJECT_MODEL_HISTORIES and OBJECT_MODEL_FIRST choose the histories.
 *
 * What this does not prove, beside what is said there: when the Worker's own waits end (only `Date` is the model's, its
 * timers are real); what production's platform does otherwise than the local one.
 */
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { TEST_PATIENCE } from "../support/patience.ts";
import { Coverage, OBJECT_STATES } from "./coverage.ts";
import { command, selection } from "./environment.ts";
import { Faults } from "./faults.ts";
import { minimise, playActions, report } from "./history.ts";
import { playAgainstObject, type ToldOfObject } from "./object-history.ts";
import { historySeed } from "./random.ts";
import { Shop } from "./shop.ts";

const { MODEL_SEED, OBJECT_MODEL_FIRST, OBJECT_MODEL_HISTORIES } = env;
const { seed, first, histories } = selection(
  { MODEL_SEED, OBJECT_MODEL_FIRST, OBJECT_MODEL_HISTORIES },
  "OBJECT_MODEL",
);

/** Terminals of one account: its requests stay below the rate limit of a minute. */
const TERMINALS = 300;

/** Random steps of one history, at most. */
const STEPS = 20;

/** The default seed reaches every expected state within 40 histories; another one may take longer. */
const ENOUGH_FOR_COVERAGE = seed === 1 ? 60 : 300;

/** Later than any real clock: the platform never fires an alarm by itself, only the model does. */
const START = Date.UTC(2031, 0, 5, 8);

describe("the terminal's object", () => {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: START });
    // A line per call is a hundred thousand lines that nobody reads.
    for (const method of ["log", "warn", "error"] as const)
      vi.spyOn(console, method).mockImplementation(() => undefined);
  });

  afterAll(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it(
    `keeps its promises in ${histories} histories of seed ${seed}`,
    { timeout: TEST_PATIENCE + histories * 5_000 },
    async ({ expect }) => {
      const coverage = new Coverage();
      const faults = new Faults();
      let shop: Shop | null = null;
      for (let played = 0; played < histories; played++) {
        const number = played % TERMINALS;
        if (shop === null || number === 0) shop = await Shop.open(Math.min(TERMINALS, histories - played));
        const history = first + played;
        const told = await playAgainstObject(shop, number, historySeed(seed, history), STEPS, coverage.notice, faults);
        if (told.violation !== null) expect.fail(explain(told, history));
      }
      if (histories >= ENOUGH_FOR_COVERAGE) expect(coverage.missing(OBJECT_STATES)).toEqual([]);
    },
  );
});

/** Where the lane alone fails in the same way, a short history of it says more. */
function explain(told: ToldOfObject, history: number): string {
  const { violation, setting, actions, retold } = told;
  if (violation === null) return "";
  const again = command("OBJECT_MODEL", seed, history);
  const pure = playActions(setting, retold);
  if (pure.violation === null) {
    return `${report({ violation, setting, actions, again })}\nThe lane alone keeps its promises in this history.`;
  }
  return report({ violation: pure.violation, setting, actions: minimise({ ...pure, actions: retold }), again });
}
