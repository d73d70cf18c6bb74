/** The kit for terminals: it passes one that keeps its duties. `terminals` has those that break one. */
import { describe, it } from "vitest";
import { TERMINAL_STEPS } from "../../../../src/sdk/conformance/terminal/kit.ts";
import { TamperedTerminal, type Tampering } from "../../../support/tampered-terminal.ts";
import { reported } from "../../../support/kit-outcomes.ts";
import { repeated, type Run, tested } from "./terminals/parts.ts";

/** Of a terminal that binds itself before it connects. */
async function runBound(): Promise<Run> {
  let terminal: TamperedTerminal | undefined;
  const run = await tested(
    {},
    {
      only: ["login", "connect", "hello", "unbound", "bind", "accepted"],
      onOpen: (url) => {
        terminal = new TamperedTerminal(url, {});
        void terminal.startBound("test-keys");
      },
    },
  );
  await terminal?.stop();
  return run;
}

describe("the kit for terminals", () => {
  it("finds every duty kept by a terminal that uses this project's client", async ({ expect }) => {
    const notTried = ["receipt", "clock-drifts", "replaced"];
    const expected = TERMINAL_STEPS.map(({ name }) => name).filter((name) => !notTried.includes(name));
    const { kept, outcomes } = await repeated(
      () => tested({ customerTakes: 6_000 }),
      (run) => run.kept.join() === expected.join(),
    );
    expect(kept, reported(outcomes)).toEqual(expected);
  });

  it("accepts a terminal that binds itself before it connects", async ({ expect }) => {
    const expected = ["login", "connect", "hello", "bind", "accepted"];
    const { broken, kept, outcomes } = await repeated(runBound, (run) => run.kept.join() === expected.join());
    expect(broken, reported(outcomes)).toEqual([]);
    expect(kept).toEqual(expected);
  });

  describe("with a terminal that crashes in a step", () => {
    const FELLED: Tampering = {
      toTerminal: (frame, wire) => {
        if (frame["type"] === "weather") wire.stopForGood();
        return frame;
      },
    };
    const only = ["accepted", "unknown-frames", "forged"];

    it("restarts the terminal and continues", async ({ expect }) => {
      const { broken, kept, outcomes } = await repeated(
        () => tested(FELLED, { only }),
        (run) => run.broken.length === 1 && run.kept.length === 2,
      );
      expect([broken, kept], reported(outcomes)).toEqual([["unknown-frames"], ["accepted", "forged"]]);
    });

    it("stops if nobody can restart the terminal", async ({ expect }) => {
      const { outcomes } = await repeated(
        () => tested(FELLED, { only: [...only, "unsigned"], restart: null }),
        (run) => run.kept.length === 1 && run.broken.length === 1,
      );
      const why = outcomes.slice(2).map(({ verdict }) => (verdict.kind === "blocked" ? verdict.why : verdict.kind));
      expect(why).toEqual([
        "the terminal is not connected (see the steps about connecting)",
        "the terminal did not come back (see its log for the step before)",
      ]);
    });
  });
});
