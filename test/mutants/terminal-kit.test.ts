/**
 * The quick steps of the kit for terminals, with one that keeps its duties. The rest of test/node/conformance/terminal.test.ts
 * takes minutes, most of which is waiting. Only `npm run mutants` runs this file.
 */
import { describe, it } from "vitest";
import { runTerminalKit, TERMINAL_STEPS } from "../../src/conformance/terminal/kit.ts";
import { NOBODY } from "../../src/conformance/tester.ts";
import { SECRET, TamperedTerminal } from "../support/tampered-terminal.ts";

const PATIENCE = { answer: 4_000, payment: 5_000, reconnect: 5_000, silence: 1_000, outage: 3_000, bind: 1_500 };

/** Steps that wait on purpose, or need a person. */
const SLOW = /^(?:restart-.*|bind|heartbeat|gives-up|respond-by|signs-anew|retry-after|backs-off|receipt|replaced)$/u;

const QUICK = TERMINAL_STEPS.map(({ name }) => name).filter((name) => !SLOW.test(name));

describe("the kit for terminals", () => {
  it("finds the quick duties kept by a terminal that uses this project's client", async ({ expect }) => {
    let terminal: TamperedTerminal | undefined;
    const outcomes = await runTerminalKit({
      address: { url: new URL("http://127.0.0.1:0"), tls: null },
      secret: SECRET,
      terminalId: "T-1",
      tester: NOBODY,
      only: QUICK,
      patient: false,
      patience: PATIENCE,
      restart: null,
      onOpen: (url) => {
        terminal = new TamperedTerminal(url, {});
        void terminal.start("test-keys");
      },
    });
    await terminal?.stop();
    expect(outcomes.filter(({ verdict }) => verdict.kind !== "kept")).toEqual([]);
  });
});
