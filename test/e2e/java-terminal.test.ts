/** The terminal client in Java and the sample terminal on it: at the conformance kit, which kills it, and at a gateway. */
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { newReferenceId, type PosClient } from "../../src/sdk/client/pos.ts";
import { BIND_KEY, runTerminalKit } from "../../src/sdk/conformance/terminal/kit.ts";
import { ok } from "../../src/protocol/result.ts";
import type { StepOutcome } from "../../src/sdk/conformance/step.ts";
import { NOBODY } from "../../src/sdk/conformance/tester.ts";
import { sleep } from "../../src/sdk/client/backoff.ts";
import { createRandom } from "../../src/sdk/simulator/random.ts";
import { createAccount, enrolTerminal, posOf, type OutsideTerminal } from "../support/fresh-project.ts";
import { ANDROID_TERMINAL, JAVA_MACHINE, JAVA_TERMINAL, JavaTerminal } from "../support/java-terminal.ts";
import { repetition } from "../support/repetition.ts";
import { EXAMPLES, prepared, runnable, started } from "../support/samples.ts";

const { TERMINAL_KILLS } = repetition(process.env);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(inject("gateway").folder, "java-"));
});

/**
 * Runs the kit, also the steps that take minutes. Its tests are tried again, because the kit judges by the clock, and a busy
 * machine makes any terminal late. `only`: the names of the steps; null for all.
 */
async function kitWith(command: string[], only: string[] | null): Promise<StepOutcome[]> {
  const secret = randomBytes(32).toString("base64url");
  const data = await mkdtemp(join(folder, "kit-"));
  let terminal: JavaTerminal | null = null;
  const outcomes = await runTerminalKit({
    address: { url: new URL("http://127.0.0.1:0"), tls: null },
    secret,
    terminalId: "T-1",
    tester: NOBODY,
    only,
    patient: true,
    restart: async () => terminal?.restart(),
    countCharges: async ({ transId }) =>
      ok(terminal?.charges.filter((charge) => charge["transId"] === transId).length ?? 0),
    onOpen: (url) => {
      terminal = new JavaTerminal({ command, url, terminalId: "T-1", secret, bindKey: BIND_KEY, data, pace: 200 });
    },
  });
  await (terminal as JavaTerminal | null)?.program.end("SIGKILL");
  return outcomes;
}

function notKept(outcomes: StepOutcome[]): unknown[] {
  return outcomes.filter(({ verdict }) => verdict.kind !== "kept").map(({ step, verdict }) => [step.name, verdict]);
}

describe.each(runnable([JAVA_MACHINE]))("the state machine of the terminal client in Java", (machine) => {
  it("keeps its duties despite a slow or full disk and wrong clocks", async ({ expect }) => {
    const program = started(await prepared(machine), {});
    expect(await program.end(), program.stderr).toBe(0);
    expect(program.lines.length).toBeGreaterThan(10);
    expect(program.lines.filter((line) => !line.startsWith("ok "))).toEqual([]);
  });
});

describe.each(runnable([JAVA_TERMINAL]))("the sample terminal in Java", (sample) => {
  let command: string[];

  beforeAll(async () => {
    command = await prepared(sample);
  });

  it(
    "keeps every duty that the kit tests, also when it is killed",
    { timeout: 900_000, retry: 2 },
    async ({ expect }) => {
      expect(notKept(await kitWith(command, null))).toEqual([
        ["receipt", expect.objectContaining({ kind: "left-out" })],
      ]);
    },
  );

  it("has at most 300 lines", async ({ expect }) => {
    const source = await readFile(join(EXAMPLES, sample.files[0] ?? ""), "utf8");
    expect(source.split("\n").length).toBeLessThanOrEqual(301);
  });

  describe("at a gateway", () => {
    let enrolled: OutsideTerminal;
    let pos: PosClient;
    let terminal: JavaTerminal;

    beforeAll(async () => {
      pos = posOf(await createAccount());
      enrolled = await enrolTerminal();
      const { key: bindKey } = await pos.bindKey();
      const data = await mkdtemp(join(folder, "data-"));
      const url = inject("gateway").baseUrl;
      terminal = new JavaTerminal({ command, url, ...enrolled, bindKey, data, pace: 300 });
      await terminal.program.says("Bound to ");
    });

    afterAll(async () => {
      await terminal.program.end("SIGTERM");
    });

    async function sale(transAmt: string, referenceId = newReferenceId()): Promise<string> {
      const { terminalId: deviceId } = enrolled;
      const answer = await pos.sale({ deviceId, referenceId, transAmt, paymentMethod: "bankCard" });
      return "statusCode" in answer ? `${answer.statusCode} ${answer.responseCode}` : JSON.stringify(answer);
    }

    it("reacts to the amounts as the simulated terminal does", async ({ expect }) => {
      expect(await sale("12.50")).toBe("00 00");
      expect(await sale("10.05")).toBe("11 05");
      expect(await sale("10.86")).toBe("11 TERMINAL_BUSY");
      expect(await sale("10.88")).toBe("11 17");
      expect(await sale("300.22")).toBe("00 00");
      expect(terminal.charges).toHaveLength(2);
    });

    it.for([
      ["Present the card", "11 RESTARTED", 0],
      ["CUSTOMER COPY", "00 00", 1],
    ] as const)("reports the true outcome after a kill at “%s”: %s", async ([moment, outcome, charges], { expect }) => {
      const before = terminal.charges.length;
      await terminal.restart();
      await terminal.program.says("CONNECTED");
      const answer = sale("20.00");
      await terminal.program.says(moment);
      await terminal.restart();
      expect(await answer).toBe(outcome);
      expect(terminal.charges.length - before).toBe(charges);
    });

    it("charges exactly what it reports while it is killed at random", { timeout: 3_600_000 }, async ({ expect }) => {
      const seed = Number(process.env["TERMINAL_SEED"] ?? Date.now() % 1_000_000);
      const random = createRandom(seed);
      for (let kills = 0; kills < Number(TERMINAL_KILLS); kills++) {
        const before = terminal.charges.length;
        const answer = sale(random.pick(["30.00", "30.05", "30.22"]));
        // No event says when: a power cut comes at any moment of a payment, which takes about a second.
        await sleep(random.below(1_500));
        await terminal.restart();
        const reported = await answer;
        const charged = terminal.charges.length - before;
        expect([charged, reported], `sale ${kills} of seed ${seed}`).toEqual([reported === "00 00" ? 1 : 0, reported]);
        expect(reported, `sale ${kills} of seed ${seed}`).toMatch(/^(?:00|11) /u);
      }
    });
  });
});

describe.each(runnable([ANDROID_TERMINAL]))("the sample terminal with Android's network", (sample) => {
  it("logs in, connects, takes payments and comes back", { timeout: 300_000, retry: 2 }, async ({ expect }) => {
    const command = await prepared(sample);
    const outcomes = await kitWith(command, [
      "login",
      "login-clock",
      "connect",
      "hello",
      "bind",
      "heartbeat",
      "pong",
      "accepted",
      "result-fields",
      "stored",
      "result-kept",
      "reconnects",
      "firewall",
      "restart-memory",
    ]);
    expect(notKept(outcomes)).toEqual([]);
  });
});
