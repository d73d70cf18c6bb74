/** The kit for terminals: it passes one that keeps its duties, and names the duty that a broken one breaks. */
import { describe, it } from "vitest";
import { type TerminalKitOptions, TERMINAL_STEPS } from "../../../src/conformance/terminal/kit.ts";
import type { Outcome } from "../../../src/conformance/step.ts";
import { BROKEN_TERMINALS } from "../../support/broken-terminals.ts";
import type { BrokenTerminal } from "../../support/broken-terminals/parts.ts";
import { inTurns } from "../../support/in-turns.ts";
import { kitOn, TamperedTerminal, type Tampering } from "../../support/tampered-terminal.ts";

/** Steps that wait on purpose: run for those that break them, and once for the terminal that keeps everything. */
const SLOW = [
  "bind",
  "heartbeat",
  "gives-up",
  "respond-by",
  "signs-anew",
  "retry-after",
  "backs-off",
  "restart-memory",
  "restart-result",
  "restart-before-card",
  "restart-number",
  "restart-at-host",
];

const QUICK = TERMINAL_STEPS.map(({ name }) => name).filter((name) => !SLOW.includes(name));

/** The names of the steps, by verdict. */
interface Run {
  broken: string[];
  kept: string[];
  outcomes: Outcome[];
}

async function tested(tampering: Tampering, options: Partial<TerminalKitOptions> = {}): Promise<Run> {
  const outcomes = await kitOn(tampering, options);
  const named = (kind: Outcome["verdict"]["kind"]): string[] =>
    outcomes.filter(({ verdict }) => verdict.kind === kind).map(({ step }) => step.name);
  return { broken: named("broken"), kept: named("kept"), outcomes };
}

function reported(outcomes: readonly Outcome[]): string {
  return outcomes
    .filter(({ verdict }) => verdict.kind === "broken" || verdict.kind === "blocked")
    .map(({ step, verdict }) => `${step.name}: ${JSON.stringify(verdict)}`)
    .join("\n");
}

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

/** Most of a run is waiting, so this many run at the same time. */
const AT_ONCE = 40;

/**
 * How often a run is repeated that found something else: the kit judges by the clock, and a busy machine makes any terminal
 * late. More often if the terminal breaks its duty by chance.
 */
const TRIES = { usual: 5, blurred: 20 };

const runOf = ({ also = [], breaks, only, patient, tampering }: BrokenTerminal): Promise<Run> => {
  const names = TERMINAL_STEPS.map(({ name }) => name);
  const wanted = only ?? names.filter((name) => [...QUICK, ...breaks, ...also].includes(name));
  return tested(tampering(), { only: wanted, patient: patient === true });
};

const firstRunOf = inTurns(BROKEN_TERMINALS, AT_ONCE, runOf);

/** A run that is `expected`, or the last of so many. Repeated ones are alone. */
async function repeated(run: () => Promise<Run>, isExpected: (run: Run) => boolean, most = TRIES.usual): Promise<Run> {
  for (let tries = 1; ; tries++) {
    const made = await run();
    if (tries === most || isExpected(made)) return made;
    await Promise.all(BROKEN_TERMINALS.map(firstRunOf));
  }
}

describe("the kit for terminals", () => {
  it("finds every duty kept by a terminal that uses this project's client", async ({ expect }) => {
    const notTried = ["receipt", "replaced"];
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

  it.for(BROKEN_TERMINALS)("detects a terminal that $what: $breaks", async (terminal, { expect }) => {
    const expected = terminal.breaks.toSorted().join();
    let first: Promise<Run> | null = firstRunOf(terminal);
    const run = await repeated(
      () => {
        const made = first ?? runOf(terminal);
        first = null;
        return made;
      },
      ({ broken }) => broken.toSorted().join() === expected,
      terminal.blurred === true ? TRIES.blurred : TRIES.usual,
    );
    expect(run.broken.toSorted(), reported(run.outcomes)).toEqual(terminal.breaks.toSorted());
  });
});
