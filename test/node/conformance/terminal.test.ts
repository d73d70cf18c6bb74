/** The kit for terminals: it passes one that keeps its duties, and names the duty that a broken one breaks. */
import { describe, it } from "vitest";
import { runTerminalKit, type TerminalKitOptions, TERMINAL_STEPS } from "../../../src/conformance/terminal/kit.ts";
import type { Outcome } from "../../../src/conformance/step.ts";
import { NOBODY } from "../../../src/conformance/tester.ts";
import { BROKEN_TERMINALS } from "../../support/broken-terminals.ts";
import { inTurns } from "../../support/in-turns.ts";
import { SECRET, TamperedTerminal, type Tampering } from "../../support/tampered-terminal.ts";

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

async function tested(
  tampering: Tampering,
  options: Partial<TerminalKitOptions> = {},
): Promise<{ broken: string[]; kept: string[]; outcomes: Outcome[] }> {
  let terminal: TamperedTerminal | undefined;
  const outcomes = await runTerminalKit({
    address: { url: new URL("http://127.0.0.1:0"), tls: null },
    secret: SECRET,
    terminalId: "T-1",
    tester: NOBODY,
    only: null,
    patient: false,
    patience: { answer: 4_000, payment: 5_000, reconnect: 5_000, silence: 1_000, outage: 3_000, bind: 1_500 },
    restart: async () => terminal?.restart(),
    onOpen: (url) => {
      terminal = new TamperedTerminal(url, tampering);
      void terminal.start("test-keys");
    },
    ...options,
  });
  await terminal?.stop();
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

/** Most of a run is waiting, so this many run at the same time. */
const AT_ONCE = 40;

/**
 * How often a run is repeated that found something else: the kit judges by the clock, and a busy machine makes any terminal
 * late. More often if the terminal breaks its duty by chance.
 */
const TRIES = { usual: 5, blurred: 20 };

const runOf = inTurns(BROKEN_TERMINALS, AT_ONCE, async ({ also = [], only, breaks, blurred, patient, tampering }) => {
  const names = TERMINAL_STEPS.map(({ name }) => name);
  const wanted = only ?? names.filter((name) => QUICK.includes(name) || also.includes(name));
  for (let tries = 1; ; tries++) {
    const run = await tested(tampering(), { only: wanted, patient: patient === true });
    const isExpected = run.broken.toSorted().join() === breaks.toSorted().join();
    if (isExpected || tries === (blurred === true ? TRIES.blurred : TRIES.usual)) return run;
  }
});

describe("the kit for terminals", () => {
  it("finds every duty kept by a terminal that uses this project's client", async ({ expect }) => {
    const notTried = ["receipt", "replaced"];
    const expected = TERMINAL_STEPS.map(({ name }) => name).filter((name) => !notTried.includes(name));
    let run = await tested({ customerTakes: 6_000 });
    for (let tries = 1; tries < TRIES.usual && run.kept.join() !== expected.join(); tries++) {
      run = await tested({ customerTakes: 6_000 });
    }
    expect(run.kept, reported(run.outcomes)).toEqual(expected);
  });

  it("accepts a terminal that binds itself before it connects", async ({ expect }) => {
    let terminal: TamperedTerminal | undefined;
    const { broken, kept, outcomes } = await tested(
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
    expect(broken, reported(outcomes)).toEqual([]);
    expect(kept).toEqual(["login", "connect", "hello", "bind", "accepted"]);
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
      const { broken, kept, outcomes } = await tested(FELLED, { only });
      expect([broken, kept], reported(outcomes)).toEqual([["unknown-frames"], ["accepted", "forged"]]);
    });

    it("stops if nobody can restart the terminal", async ({ expect }) => {
      const { outcomes } = await tested(FELLED, { only: [...only, "unsigned"], restart: null });
      const why = outcomes.slice(2).map(({ verdict }) => (verdict.kind === "blocked" ? verdict.why : verdict.kind));
      expect(why).toEqual([
        "the terminal is not connected (see the steps about connecting)",
        "the terminal did not come back (see its log for the step before)",
      ]);
    });
  });

  it.for(BROKEN_TERMINALS)("detects a terminal that $what: $breaks", async (terminal, { expect }) => {
    const { broken, outcomes } = await runOf(terminal);
    expect(broken.toSorted(), reported(outcomes)).toEqual(terminal.breaks.toSorted());
  });
});
