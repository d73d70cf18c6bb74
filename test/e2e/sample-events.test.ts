/** The complete POS programs of the documentation: at the conformance kit, which kills them, and at a gateway. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { commandDriver } from "../../src/sdk/conformance/pos/drive.ts";
import { runPosKit } from "../../src/sdk/conformance/pos/kit.ts";
import { type KitAccount, listReferences } from "../../src/sdk/conformance/pos/judge.ts";
import { FaultProxy } from "../../src/sdk/conformance/pos/proxy.ts";
import { createAccount, type OutsideAccount } from "../support/fresh-project.ts";
import { ADDRESS, KIT_PATIENCE, kitOptions, kitShop, UNCONFIRMED } from "../support/pos-kit.ts";
import { TerminalProcess } from "../support/terminal-process.ts";
import { EXAMPLES, prepared, started, runnable, SAMPLES } from "../support/samples.ts";

/** The number of the last event that a POS has booked. */
function saved({ POS_FOLDER = "" }: Record<string, string>): Promise<string> {
  return readFile(join(POS_FOLDER, "last-event"), "utf8").catch(() => "none");
}

it("are files that a reader of the documentation can have", ({ expect }) => {
  expect(SAMPLES.filter(({ files }) => !files.every((file) => existsSync(join(EXAMPLES, file))))).toEqual([]);
});

describe.each(runnable(SAMPLES))("$name", (sample) => {
  let folder: string;
  let command: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(inject("gateway").folder, "sample-"));
    command = await prepared(sample);
  });

  /** What a POS gets in its environment. */
  async function environment(url: string, { posId, merchantId, deviceId, signingKey }: Omit<KitAccount, "password">) {
    const account = { POS_ID: posId, MERCHANT_ID: merchantId, DEVICE_ID: deviceId, SIGNING_KEY: signingKey };
    return { ...account, GATEWAY_URL: url, POS_FOLDER: await mkdtemp(join(folder, "data-")) };
  }

  it(
    "keeps every duty that the kit tests, even when killed mid-sale",
    { timeout: KIT_PATIENCE },
    async ({ expect }) => {
      const words = [...command, "$ACTION", "$ARGUMENTS"].join(" ");
      const shop = await kitShop();
      const driver = commandDriver(`cd "${EXAMPLES}" && ${words}`, await environment("", shop.account), {
        output: "hidden",
      });
      const outcomes = await runPosKit({ ...kitOptions(shop), driver });
      const notKept = outcomes.filter(({ verdict }) => verdict.kind !== "kept");
      expect(notKept.map(({ step, verdict }) => [step.name, verdict])).toEqual([
        ["time-out", expect.objectContaining({ kind: "left-out" })],
        ["request-texts", { kind: "left-out", why: "the POS sends no note" }],
      ]);
    },
  );

  it("exits with 5 for an unknown action or a missing argument", async ({ expect }) => {
    expect(await started([...command, "dance"], {}).end()).toBe(5);
    expect(await started([...command, "sale"], {}).end()).toBe(5);
  });

  it("names missing settings, and sends nothing", async ({ expect }) => {
    const run = started([...command, "sale", "1.00"], {
      GATEWAY_URL: "http://127.0.0.1:9",
      POS_ID: "P",
      DEVICE_ID: "T",
    });
    expect(await run.end()).toBe(5);
    expect(run.stdout).toBe("Missing in the environment: MERCHANT_ID SIGNING_KEY\n");
  });

  describe("at a gateway", () => {
    let account: OutsideAccount;
    let terminal: TerminalProcess;
    let env: Record<string, string>;

    beforeAll(async () => {
      account = await createAccount();
      terminal = new TerminalProcess(`T-${account.posId}`, account);
      await terminal.start("--pace", "20");
      env = await environment(inject("gateway").baseUrl, { ...account, deviceId: terminal.terminalId });
    });

    afterAll(async () => {
      await terminal.program.end("SIGTERM");
    });

    async function done(...words: string[]): Promise<string> {
      const run = started([...command, ...words], env);
      return `${await run.end()} ${run.stdout}${run.stderr}`;
    }

    it("sells, refunds, adds up the day, and books each event once", async ({ expect }) => {
      const [, transId = ""] = /^0 .* approved 00 .* (\d{10})\n/u.exec(await done("sale", "12.50")) ?? [];
      expect(await done("inquiry", transId)).toMatch(/^0 .* approved/u);
      expect(await done("void", transId)).toMatch(/^0 .* approved/u);
      expect(await done("void", transId)).toMatch(/^1 .* not approved ALREADY_VOIDED/u);
      expect(await done("sale", "10.05")).toMatch(/^1 .* not approved 05/u);
      expect(await done("sale", "12.5")).toMatch(/^3 .*refused, no money moved(?:.|\n)*transData\.transAmt/u);
      expect(await done("cancel", "NEVER-CAME")).toMatch(/^1 .* not approved CANCELLED/u);
      expect(await done("totals")).toMatch(
        /^0 (?:.*\n)*sale VISA 1 12\.50 MYR\n(?:.*\n)*\S+ open, 0 not known yet\n$/u,
      );
      expect(terminal.ledger.charges).toHaveLength(1);

      const first = started([...command, "events"], env);
      // Two sales, a void and its sale's update, and a void that was not possible.
      await expect.poll(() => saved(env)).toBe("5");
      await first.end("SIGKILL");
      expect(first.lines.map((line) => line.split(" ")[0])).toEqual(["1", "2", "3", "4", "5"]);

      const second = started([...command, "events"], env);
      await done("sale", "3.00");
      await expect.poll(() => saved(env)).toBe("6");
      await second.end("SIGKILL");
      expect(second.lines).toEqual([expect.stringMatching(/^6 transaction\.completed \S{8,20}$/u)]);
    });

    it("starts no transaction while one is open, unless the cashier overrides it", async ({ expect }) => {
      const proxy = new FaultProxy(ADDRESS, inject("gateway").baseUrl, { ...account, deviceId: terminal.terminalId });
      const separate = await environment(await proxy.open(), { ...account, deviceId: terminal.terminalId });
      const run = (...words: string[]): Promise<number | null> => started([...command, ...words], separate).end();
      proxy.follow({ faults: [UNCONFIRMED], repeatsLast: true });
      expect(await run("sale", "1.00")).toBe(2);
      expect(await run("sale", "2.00")).toBe(3);
      expect(await run("recover")).toBe(2);
      const sales = (): string[] =>
        listReferences(proxy.messages.items.filter(({ body }) => body["transType"] === "sale"));
      const [reference = "", ...others] = sales();
      expect(others).toEqual([]);
      expect(await run("aside", reference)).toBe(0);
      expect(await run("sale", "3.00")).toBe(0);
      expect(sales()).toHaveLength(2);
      expect(await run("recover")).toBe(0);
      await proxy.close();
    });
  });
});
