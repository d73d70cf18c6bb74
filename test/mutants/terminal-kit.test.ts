/**
 * The quick steps of the kit for terminals, with one that keeps its duties and those that break one of them. The rest of
 * test/node/conformance/terminal.test.ts takes minutes, most of which is waiting. Only `npm run mutants` runs this file.
 */
import { describe, it } from "vitest";
import { TERMINAL_STEPS } from "../../src/conformance/terminal/kit.ts";
import { BROKEN_TERMINALS } from "../support/broken-terminals.ts";
import type { BrokenTerminal } from "../support/broken-terminals/parts.ts";
import { kitOn } from "../support/tampered-terminal.ts";

/** Steps that wait on purpose, or need a person. */
const SLOW = /^(?:restart-.*|bind|heartbeat|gives-up|respond-by|signs-anew|retry-after|backs-off|receipt|replaced)$/u;

const QUICK = TERMINAL_STEPS.map(({ name }) => name).filter((name) => !SLOW.test(name));

const FOUND_SOON = BROKEN_TERMINALS.filter(
  ({ breaks, only, patient, blurred }) =>
    breaks.every((name) => QUICK.includes(name)) && only === undefined && patient !== true && blurred !== true,
);

/** Most of a run is waiting, so this many run at the same time. */
const AT_ONCE = 15;

const PORTIONS = Array.from({ length: Math.ceil(FOUND_SOON.length / AT_ONCE) }, (_, index) =>
  FOUND_SOON.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
);

/** Some steps need what came in others. The kit judges by the clock, and a busy machine makes any terminal late. */
async function isFound({ breaks, tampering }: BrokenTerminal): Promise<boolean> {
  for (const only of [breaks, QUICK, QUICK]) {
    const outcomes = await kitOn(tampering(), { only });
    const broken = outcomes.filter(({ verdict }) => verdict.kind === "broken").map(({ step }) => step.name);
    if (breaks.every((name) => broken.includes(name))) return true;
  }
  return false;
}

describe("the kit for terminals", () => {
  it("finds the quick duties kept by a terminal that uses this project's client", async ({ expect }) => {
    const outcomes = await kitOn({}, { only: QUICK, restart: null });
    expect(outcomes.filter(({ verdict }) => verdict.kind !== "kept")).toEqual([]);
  });

  it.for(PORTIONS.map((terminals) => ({ terminals })))(
    "reports what breaks a quick duty",
    async ({ terminals }, { expect }) => {
      const missed = await Promise.all(
        terminals.map(async (terminal) => ((await isFound(terminal)) ? [] : [terminal.what])),
      );
      expect(missed.flat()).toEqual([]);
    },
  );
});
