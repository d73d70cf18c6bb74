/**
 * The histories of test/model/lane-model.test.ts, without what explains a failed one to a reader. Only `npm run mutants` runs
 * this file.
 */
import { historySeed } from "../model/environment.ts";
import { describe, it } from "vitest";
import { playSeed } from "../model/history.ts";

/** Few first, because most mutants break the first ones. */
const PORTIONS = [50, 1_000];

describe("the lane", () => {
  it.for(PORTIONS)("keeps its promises in %i histories", (histories, { expect }) => {
    for (let history = 0; history < histories; history++) {
      expect(playSeed(historySeed(1, history), () => undefined).violation).toBeNull();
    }
  });
});
