/** A chaos run, and that each of its faults of the gateway really is one: a fault that hits nothing proves nothing. */
import { copyFile, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { Gateway } from "../chaos/gateway.ts";
import { Program } from "../support/program.ts";
import { ROOT } from "../support/outside.ts";
import { repetition } from "../support/repetition.ts";

const { CHAOS_SECONDS } = repetition(process.env);
const { CHAOS_SEED = "1" } = process.env;

describe("npm run chaos", () => {
  // Starting and clearing up take some minutes.
  const timeout = Number(CHAOS_SECONDS) * 1_000 + 900_000;

  it(`keeps every promise for ${CHAOS_SECONDS} seconds of faults`, { timeout }, async ({ expect }) => {
    const folder = await mkdtemp(join(inject("gateway").folder, "chaos-"));
    const args = ["--seconds", CHAOS_SECONDS, "--seed", CHAOS_SEED, "--terminals", "6", "--accounts", "3"];
    const script = ["--disable-warning=ExperimentalWarning", "test/chaos/chaos.ts"];
    const program = new Program([...script, ...args, "--folder", folder], { cwd: ROOT });
    const status = await program.end();
    const { ARTIFACTS } = process.env;
    if (status !== 0 && ARTIFACTS !== undefined)
      await copyFile(join(folder, "journal.jsonl"), join(ARTIFACTS, "chaos.jsonl"));
    expect(status, program.output).toBe(0);
  });
});

describe("a fault of the gateway in a chaos run", () => {
  let gateway: Gateway;

  /** What a call that must write to D1 and to an object gets. */
  async function write(): Promise<number> {
    const channel = { status: 1, currency: ["MYR"], logoUrl3: "https://a.example/" };
    const headers = { Authorization: "Bearer a-token-of-an-operator-of-this-test", "Content-Type": "application/json" };
    const call = { method: "PUT", headers, body: JSON.stringify(channel), signal: AbortSignal.timeout(20_000) };
    const answer = fetch(`${gateway.url}/operator/channels/Wallet`, call);
    return answer.then(({ status }) => status).catch(() => 0);
  }

  beforeAll(async () => {
    const folder = await mkdtemp(join(inject("gateway").folder, "faults-"));
    const key = Buffer.alloc(32, "the key of this test").toString("base64");
    const OPERATOR_TOKENS = "operator:a-token-of-an-operator-of-this-test";
    gateway = await Gateway.start(folder, { MASTER_KEYS: `k1:${key}`, OPERATOR_TOKENS });
  });
  afterAll(async () => gateway.end());

  it("kills it until it is started again", async ({ expect }) => {
    await gateway.kill();
    expect(await gateway.isUp()).toBe(false);
    await gateway.restart();
    expect(await write()).toBe(201);
  });

  it("stops it while it still takes connections", async ({ expect }) => {
    gateway.signal("SIGSTOP");
    expect(await gateway.isUp()).toBe(false);
    gateway.signal("SIGCONT");
    await expect.poll(() => gateway.isUp()).toBe(true);
  });

  it("locks its database until the lock is released", async ({ expect }) => {
    const unlock = await gateway.lockDatabase();
    expect(await write()).not.toBe(200);
    unlock();
    await expect.poll(write).toBe(200);
  });
});
