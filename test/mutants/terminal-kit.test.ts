/**
 * The quick steps of the kit for terminals, with one that keeps its duties. The rest of test/node/conformance/terminal.test.ts
 * takes minutes, most of which is waiting. Only `npm run mutants` runs this file.
 */
import { describe, it } from "vitest";
import { TERMINAL_STEPS } from "../../src/conformance/terminal/kit.ts";
import { kitOn } from "../support/tampered-terminal.ts";

/** Steps that wait on purpose, or need a person. */
const SLOW = /^(?:restart-.*|bind|heartbeat|gives-up|respond-by|signs-anew|retry-after|backs-off|receipt|replaced)$/u;

const QUICK = TERMINAL_STEPS.map(({ name }) => name).filter((name) => !SLOW.test(name));

describe("the kit for terminals", () => {
  it("finds the quick duties kept by a terminal that uses this project's client", async ({ expect }) => {
    const outcomes = await kitOn({}, { only: QUICK, restart: null });
    expect(outcomes.filter(({ verdict }) => verdict.kind !== "kept")).toEqual([]);
  });
});
