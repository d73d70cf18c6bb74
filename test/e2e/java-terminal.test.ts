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
import { platformFetch } from "../../src/sdk/client/deadline.ts";
import { MACHINE_CLOCKS } from "../../src/sdk/client/terminal/clock.ts";
import { TerminalSession } from "../../src/sdk/client/terminal/session.ts";
import { createRandom } from "../../src/sdk/simulator/random.ts";
import { createAccount, enrolTerminal, operator, posOf, type OutsideTerminal } from "../support/fresh-project.ts";
import {
  ANDROID_TERMINAL,
  DISTURBED_TERMINAL,
  JAVA_ACTIVATION,
  JAVA_MACHINE,
  JAVA_TERMINAL,
  JavaTerminal,
} from "../support/java-terminal.ts";
import { repetition } from "../support/repetition.ts";
import { EXAMPLES, prepared, runnable, started } from "../support/samples.ts";

const { TERMINAL_FAULTS } = repetition(process.env);

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
    second: () => (terminal as JavaTerminal).startSecond(),
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
  });
});

describe.each(runnable([DISTURBED_TERMINAL]))("the sample terminal on a bad machine", (sample) => {
  it(
    "charges exactly what it reports despite kills, full disks and wrong clocks",
    { timeout: 3_600_000 },
    async ({ expect }) => {
      const pos = posOf(await createAccount());
      const enrolled = await enrolTerminal();
      const { key: bindKey } = await pos.bindKey();
      const data = await mkdtemp(join(folder, "disturbed-"));
      const url = inject("gateway").baseUrl;
      const terminal = new JavaTerminal({
        command: await prepared(sample),
        url,
        ...enrolled,
        bindKey,
        data,
        pace: 300,
      });
      await terminal.program.says("Bound to ");
      const seed = Number(process.env["TERMINAL_SEED"] ?? Date.now() % 1_000_000);
      const random = createRandom(seed);
      const faults: (() => Promise<void>)[] = [
        () => terminal.restart(),
        async () => {
          await terminal.fillDisk();
          await sleep(random.below(3_000));
          await terminal.freeDisk();
        },
        () => terminal.restart(),
        async () => terminal.setClock(random.below(2 * 7_200_000) - 7_200_000),
      ];
      for (let count = 0; count < Number(TERMINAL_FAULTS); count++) {
        const before = terminal.charges.length;
        const transAmt = random.pick(["30.00", "30.05", "30.22"]);
        const answer = pos.sale({
          deviceId: enrolled.terminalId,
          referenceId: newReferenceId(),
          transAmt,
          paymentMethod: "bankCard",
        });
        // No event says when: a fault comes at any moment of a payment, which takes about a second.
        await sleep(random.below(1_500));
        await faults[count % faults.length]?.();
        const { statusCode, responseCode } = await answer;
        const about = `sale ${count} of seed ${seed}: ${statusCode} ${responseCode}`;
        expect(["00", "11"], about).toContain(statusCode);
        expect(terminal.charges.length - before, about).toBe(statusCode === "00" ? 1 : 0);
      }
      await terminal.program.end("SIGTERM");
    },
  );
});

describe.each(runnable([JAVA_ACTIVATION]))("the activation in Java", (activation) => {
  it("gives id and secret once, then says that the code was used", async ({ expect }) => {
    const command = await prepared(activation);
    const { terminalId } = await enrolTerminal();
    const path = `/terminals/${terminalId}/activation-code`;
    const code = await operator().must("POST", path, {}, "activationCode");
    const exchange = async (): Promise<string> => {
      const program = started([...command, inject("gateway").baseUrl, code.toLowerCase()], {});
      await program.end();
      return program.stdout;
    };
    const [, secret = ""] = new RegExp(`^${terminalId} ([\\w-]{43})\n$`, "u").exec(await exchange()) ?? [];
    const address = inject("gateway").baseUrl;
    const session = new TerminalSession({ address, terminalId, secret }, platformFetch, MACHINE_CLOCKS);
    expect(await session.token()).toMatchObject({ ok: true });
    expect(await exchange()).toMatch(/^LOGIN_REFUSED The activation code was used\./u);
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
