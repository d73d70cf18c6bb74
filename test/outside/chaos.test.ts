/** A chaos run, and that each of its faults of the gateway really is one: a fault that hits nothing proves nothing. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { fillDisk, lockDatabase, whyNoFullDisk } from "../chaos/faults/storage.ts";
import { Gateway } from "../chaos/gateway/gateway.ts";
import { JournalFile } from "../chaos/journal-file.ts";
import { Operator } from "../chaos/operator/operator.ts";
import { Program } from "../support/program.ts";
import { ROOT } from "../support/outside.ts";
import { TEST_PATIENCE } from "../support/patience.ts";
import { repetition } from "../support/repetition.ts";

const { CHAOS_SECONDS } = repetition(process.env);
const { CHAOS_SEED = "1" } = process.env;

const TIMEOUT = Number(CHAOS_SECONDS) * 1_000 + TEST_PATIENCE;

describe("npm run chaos", () => {
  it(`keeps every promise for ${CHAOS_SECONDS} seconds of faults`, { timeout: TIMEOUT }, async ({ expect }) => {
    const folder = await mkdtemp(join(inject("gateway").folder, "chaos-"));
    const isShort = Number(CHAOS_SECONDS) < 60;
    const size = isShort ? ["--terminals", "4", "--accounts", "2"] : [];
    const script = join(ROOT, "test", "chaos", "chaos.ts");
    const args = ["--seconds", CHAOS_SECONDS, "--seed", CHAOS_SEED, "--folder", folder, ...size];
    const program = new Program(["--disable-warning=ExperimentalWarning", script, ...args], { cwd: ROOT });
    const status = await program.end();
    // A short run may not check everything.
    expect(isShort ? [0, 3] : [0], program.output).toContain(status);
    expect(program.output).toMatch(isShort ? /Every promise is kept|Nothing is broken/u : /Every promise is kept/u);
  });

  it("reports a fault that is put into the gateway", { timeout: TIMEOUT }, async ({ expect }) => {
    const folder = await mkdtemp(join(inject("gateway").folder, "self-test-"));
    const script = join(ROOT, "test", "chaos", "chaos.ts");
    const args = ["--self-test", "--fault", "answers-otherwise", "--folder", folder];
    const program = new Program(["--disable-warning=ExperimentalWarning", script, ...args], { cwd: ROOT });
    expect(await program.end(), program.output).toBe(0);
    expect(program.output).toContain("1 of 1 faults were reported");
  });
});

describe("a fault of the gateway in a chaos run", () => {
  let gateway: Gateway;
  let operator: Operator;
  let accounts = 0;

  /** What a call that must write to D1 and to an object gets. */
  async function write(): Promise<number | null> {
    const merchant = { merchantId: "M-1", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };
    const reply = await operator.call("POST", "/accounts", { posId: `POS-${(accounts += 1)}`, ...merchant });
    return reply.status;
  }

  beforeAll(async () => {
    const folder = await mkdtemp(join(inject("gateway").folder, "faults-"));
    const token = "a-token-of-an-operator-of-this-test";
    const key = Buffer.alloc(32, "the key of this test").toString("base64");
    gateway = await Gateway.start(folder, { MASTER_KEYS: `k1:${key}`, OPERATOR_TOKENS: `operator:${token}` });
    operator = new Operator(gateway.port, token, new JournalFile(join(folder, "journal.jsonl")));
  });
  afterAll(async () => gateway.end());

  it("is a kill after which nothing answers until it is started again, with all that it had stored", async ({
    expect,
  }) => {
    expect(await write()).toBe(201);
    await gateway.kill();
    expect([await gateway.isUp(), gateway.runtimes]).toEqual([false, []]);
    await gateway.restart();
    expect((await operator.call("GET", "/accounts/POS-1")).status).toBe(200);
  });

  it("is a stop in which it takes connections and says nothing", async ({ expect }) => {
    gateway.signal("SIGSTOP");
    expect(await gateway.isUp()).toBe(false);
    gateway.signal("SIGCONT");
    await expect.poll(async () => gateway.isUp()).toBe(true);
  });

  it("is a full disk on which no write succeeds until there is room again", async ({ expect }) => {
    if ((await whyNoFullDisk()) !== null) return;
    const before = gateway.runtimes;
    const empty = await fillDisk(gateway);
    expect(await write()).not.toBe(201);
    // Its processes survive it.
    expect(gateway.runtimes).toEqual(before);
    await empty();
    await expect.poll(write).toBe(201);
  });

  it("is a database that answers nobody until its lock is released", async ({ expect }) => {
    const unlock = await lockDatabase(gateway.dataFolder);
    const during = operator.call("PUT", "/channels/Wallet", {
      status: 1,
      currency: ["MYR"],
      logoUrl3: "https://a.example/",
    });
    expect((await during).status).not.toBe(200);
    unlock();
    await delay(100);
    await expect.poll(write).toBe(201);
  });
});
