/** How the kit for terminals is set up: how long it waits for whom. */
import { afterEach, describe, it, vi } from "vitest";
import type { Outcome } from "../../../../src/conformance/step.ts";
import { runTerminalKit, type TerminalKitOptions } from "../../../../src/conformance/terminal/kit.ts";
import { PATIENCE_WITH_PEOPLE, PATIENCE_WITH_PROGRAMS } from "../../../../src/conformance/times.ts";
import { TERMINAL_RECONNECT } from "../../../../src/client/limits.ts";
import { NOBODY } from "../../../../src/conformance/tester.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** What the kit says of a terminal that never comes. */
async function alone(options: Partial<TerminalKitOptions>): Promise<Outcome["verdict"][]> {
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

  it("gives a terminal more time than its duties do, and a person more than a program", ({ expect }) => {
    for (const [name, patience] of Object.entries(PATIENCE_WITH_PROGRAMS)) {
      expect(patience, name).toBeGreaterThanOrEqual(1_000);
      expect(patience, name).toBeLessThanOrEqual(120_000);
    }
    expect(PATIENCE_WITH_PROGRAMS.reconnect).toBeGreaterThan(TERMINAL_RECONNECT.first + 1_000);
    for (const name of ["start", "payment", "restart", "bind"] as const) {
      expect(PATIENCE_WITH_PEOPLE[name], name).toBeGreaterThanOrEqual(60_000);
      expect(PATIENCE_WITH_PEOPLE[name], name).toBeLessThanOrEqual(600_000);
    }
    expect(PATIENCE_WITH_PEOPLE.reconnect).toBe(PATIENCE_WITH_PROGRAMS.reconnect);
  });
});
