/**
 * Random histories against the account's object in workerd, judged by what its terminals truly did: I1 (a reference
 * runs on one device), I7 (the record has every outcome, once, in one order), sessions and terms that end when they
 * have to, and a D1 that follows.
 *
 * MODEL_SEED (default 1, or `random`), OBJECT_MODEL_HISTORIES and OBJECT_MODEL_FIRST choose the histories.
 *
 * Terminals' objects and the Worker are played by the model here; `object-model.test.ts` has the real ones.
 */
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, describe, it, vi } from "vitest";
import { command, selection, historySeed } from "../../../model/environment.ts";
import { Faults } from "../../../model/account/faults.ts";
import { History } from "../../../model/account/history.ts";
import { createRandom } from "../../../../src/sdk/simulator/random.ts";
import { TEST_PATIENCE } from "../../../support/patience.ts";

const { MODEL_SEED, OBJECT_MODEL_FIRST, OBJECT_MODEL_HISTORIES } = env;
const { seed, first, histories } = selection(
  { MODEL_SEED, OBJECT_MODEL_FIRST, OBJECT_MODEL_HISTORIES },
  "OBJECT_MODEL",
);

const STEPS = 100;

/** What the default seed reaches within the fewest histories that are played. */
const EXPECTED = [
  ...["admitted", "elsewhere", "session-ended", "not-active", "no-such-device"].map((kind) => `admission: ${kind}`),
  ...["sale", "cashOut", "void"].map((what) => `carried out: ${what}`),
  ...["00", "11", "22"].map((status) => `outcome: ${status}`),
  ...["admit", "record"].flatMap((call) => [`${call}: answer lost`, `${call}: storage broke`]),
  ...["suspend", "activate", "password", "zone", "currency", "key", "delete", "name"].map(
    (what) => `operator: ${what}`,
  ),
  "rebound",
  "a year has passed",
  "a day was closed",
  "hours were reported",
];

const ENOUGH_FOR_COVERAGE = 40;

/** Later than any real clock: the platform never fires an alarm by itself, only the model does. */
const START = Date.UTC(2031, 0, 5, 8);

describe("an account's object", () => {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: START });
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  afterAll(() => {
    vi.useRealTimers();
  });

  it(
    `keeps its promises in ${histories} histories of seed ${seed}`,
    { timeout: TEST_PATIENCE + histories * 10_000 },
    async ({ expect }) => {
      const seen = new Set<string>();
      const notice = (what: string): void => void seen.add(what);
      for (let played = first; played < first + histories; played++) {
        // A line per change is thousands of lines that nobody reads.
        for (const method of ["log", "warn", "error"] as const) {
          vi.spyOn(console, method).mockImplementation(() => undefined);
        }
        vi.setSystemTime(START);
        const random = createRandom(historySeed(seed, played));
        try {
          await new History(random, new Faults(createRandom(~played), notice), notice).play(STEPS);
        } catch (error) {
          expect.fail(`${String(error)}\nPlay it again: ${command("OBJECT_MODEL", seed, played)}`);
        }
        vi.restoreAllMocks();
      }
      if (histories >= ENOUGH_FOR_COVERAGE) expect(EXPECTED.filter((what) => !seen.has(what))).toEqual([]);
    },
  );
});
