/** How the kit for terminals is set up: how long it waits for whom. */
import { afterEach, describe, it, vi } from "vitest";
import type { StepOutcome } from "../../../../../src/sdk/conformance/step.ts";
import {
  AMOUNTS,
  BIND_KEY,
  runTerminalKit,
  type TerminalKitOptions,
} from "../../../../../src/sdk/conformance/terminal/kit.ts";
import { PATIENCE_WITH_PEOPLE, PATIENCE_WITH_PROGRAMS } from "../../../../../src/sdk/conformance/times.ts";
import { NOBODY } from "../../../../../src/sdk/conformance/tester.ts";
import { behaviourFor } from "../../../../../src/sdk/simulator/behaviour.ts";
import { kitOn } from "../../../../support/tampered-terminal.ts";
import { TERMINAL_RECONNECT } from "../../../../../src/sdk/client/terminal.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** What the kit says of a terminal that never comes. */
async function alone(options: Partial<TerminalKitOptions>): Promise<StepOutcome["verdict"][]> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const opened = Promise.withResolvers<string>();
  const outcomes = runTerminalKit({
    address: { url: new URL("http://127.0.0.1:0"), tls: null },
    secret: "a secret of the kit's test",
    terminalId: null,
    tester: NOBODY,
    only: ["login"],
    patient: false,
    restart: null,
    onOpen: opened.resolve,
    ...options,
  });
  await opened.promise;
  await vi.advanceTimersByTimeAsync(600_000);
  return (await outcomes).map(({ verdict }) => verdict);
}

describe("the kit for terminals", () => {
  it.for<[string, string, Partial<TerminalKitOptions>]>([
    ["a minute for a program", "nothing within 1 min", {}],
    ["ten for a person", "nothing within 10 min", { tester: { ...NOBODY, present: true } }],
    ["as long as it is told", "nothing within 7 s", { patience: { start: 7_000 } }],
  ])("waits for the first login: %s", async ([, seen, options], { expect }) => {
    expect(await alone(options)).toEqual([{ kind: "broken", expected: "a login", seen }]);
  });

  it("asks for amounts that simulated terminals act on, or given ones", async ({ expect }) => {
    expect(Object.values(AMOUNTS).map((amount) => [amount.slice(0, 3), behaviourFor(amount).kind])).toEqual([
      ["10.", "approve"],
      ["10.", "slow"],
      ["10.", "pending"],
    ]);
    const told: string[] = [];
    const tester = { ...NOBODY, tell: (text: string) => void told.push(text) };
    await kitOn({}, { only: ["result-fields"], tester, amounts: { approve: "20.00" } });
    expect(told).toContain("At the terminal: complete the sale of 20.00 so that it is approved.");
  });

  it("has a key that every terminal can enter", ({ expect }) => {
    expect(BIND_KEY).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/u);
  });

  it("gives terminals more time than required, and people more than programs", ({ expect }) => {
    const names = ["start", "answer", "payment", "reconnect", "silence", "outage", "bind", "restart"] as const;
    for (const name of names) {
      const patience = PATIENCE_WITH_PROGRAMS[name];
      expect(patience, name).toBeGreaterThanOrEqual(1_000);
      expect(patience, name).toBeLessThanOrEqual(120_000);
    }
    expect(PATIENCE_WITH_PROGRAMS.reconnect).toBeGreaterThan(TERMINAL_RECONNECT.first + 1_000);
    for (const name of ["start", "payment", "restart", "bind"] as const) {
      expect(PATIENCE_WITH_PEOPLE[name], name).toBeGreaterThan(Math.max(PATIENCE_WITH_PROGRAMS[name], 60_000));
      expect(PATIENCE_WITH_PEOPLE[name], name).toBeLessThanOrEqual(600_000);
    }
    expect(PATIENCE_WITH_PEOPLE.reconnect).toBe(PATIENCE_WITH_PROGRAMS.reconnect);
  });
});
