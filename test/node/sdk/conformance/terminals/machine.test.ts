/** A second process of a terminal, and a clock that has drifted: what the kit sees. */
import { describe, it } from "vitest";
import type { RunningCommand } from "../../../../../src/sdk/conformance/tester.ts";
import { now } from "../../../../../src/sdk/conformance/times.ts";
import type { StepOutcome } from "../../../../../src/sdk/conformance/step.ts";
import { kitOn, TamperedTerminal, type Tampering } from "../../../../support/tampered-terminal.ts";
import { reading } from "./parts.ts";

const PATIENCE = {
  answer: 4_000,
  payment: 5_000,
  reconnect: 5_000,
  silence: 500,
  bind: 1_500,
  second: 500,
  renewal: 3_000,
};

function verdictOf(outcomes: StepOutcome[], name: string): unknown {
  return outcomes.find(({ step }) => step.name === name)?.verdict;
}

/** What the kit finds with this second process, which it gives the kit's address. */
async function withSecond(second: ((url: string) => RunningCommand) | null): Promise<unknown> {
  let url = "";
  let terminal: TamperedTerminal | undefined;
  const outcomes = await kitOn(
    {},
    {
      only: ["login", "bind", "second-process"],
      patience: PATIENCE,
      onOpen: (at) => {
        url = at;
        terminal = new TamperedTerminal(at, {});
        void terminal.start("test-keys");
      },
      second: second === null ? null : () => second(url),
    },
  );
  await terminal?.stop();
  return verdictOf(outcomes, "second-process");
}

function endingWith(status: number): RunningCommand {
  return { ended: Promise.resolve(status), end: () => undefined };
}

const NEVER = new Promise<never>(() => undefined);

function connecting(url: string): RunningCommand {
  const another = new TamperedTerminal(url, {});
  void another.start();
  return { ended: NEVER, end: () => void another.stop() };
}

async function withClock(tampering: Tampering): Promise<unknown> {
  const only = ["login", "bind", "clock-drifts"];
  return verdictOf(await kitOn(tampering, { only, patient: true, patience: PATIENCE }), "clock-drifts");
}

describe("the kit's step about a second process", () => {
  it("keeps its duty if the second one ends with an error", async ({ expect }) => {
    expect(await withSecond(() => endingWith(1))).toEqual({ kind: "kept" });
  });

  it("breaks its duty if the second one connects", async ({ expect }) => {
    expect(await withSecond(connecting)).toMatchObject({ kind: "broken", seen: "a second connection" });
  });

  it.for([
    ["nothing starts one", null, "nothing starts a second process"],
    ["it ends without an error", () => endingWith(0), "ended with status 0"],
    ["it goes on without a connection", () => ({ ended: NEVER, end: () => undefined }), "still ran after 500 ms"],
  ] as const)("is never kept if %s", async ([, second, why], { expect }) => {
    expect(await withSecond(second)).toMatchObject({ kind: "unseen", why: expect.stringContaining(why) });
  });
});

describe("the kit's step about a clock that drifts", () => {
  it("is kept by a terminal that takes the time again", async ({ expect }) => {
    expect(await withClock({})).toMatchObject({ kind: "kept" });
  });

  it.for([
    ["never takes it again", -3_600_000, "further refusals"],
    ["ends too late", 3_600_000, "none"],
    ["ends too early", -2_000, "before respondBy"],
  ] as const)("is broken by a terminal that %s", async ([, off, seen], { expect }) => {
    // Only the requests of the moved clock are in the past of the kit's own.
    const tampering = reading((frame) => {
      const respondBy = Number(frame["respondBy"]);
      return respondBy > now() ? frame : { ...frame, respondBy: respondBy + off };
    });
    expect(await withClock({ ...tampering, customerTakes: 8_000 })).toMatchObject({
      kind: "broken",
      seen: expect.stringContaining(seen),
    });
  });
});
