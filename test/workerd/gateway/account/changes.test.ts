/** An operator's changes reach the object first, then D1 and the terminals, each once and in order. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { auditOf } from "../../../support/audit.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { openBooks, terminalsThat } from "../../../support/gateway/account/books.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();

const SECOND = 1_000;

afterEach(() => {
  vi.restoreAllMocks();
});

interface Copy {
  status: string;
  currency: string;
}

function copyOf(posId: string): Promise<Copy | null> {
  return env.DATABASE.prepare("SELECT status, currency FROM accounts WHERE pos_id = ?").bind(posId).first<Copy>();
}

async function auditedActions(posId: string): Promise<string[]> {
  return (await auditOf(posId)).map(({ action }) => action);
}

describe("an account", () => {
  it("is in D1 with its audit rows when a change returns", async ({ expect }) => {
    terminalsThat(async () => ({ kind: "done" }));
    const { posId, object } = await openBooks();
    await object.change({ currency: "SGD" }, "tester");
    expect(await copyOf(posId)).toMatchObject({ status: "active", currency: "SGD" });
    expect(await auditedActions(posId)).toEqual(["account.create", "account.change"]);
  });

  it("changes while D1 fails, and reaches D1 later, in order and once", async ({ expect }) => {
    terminalsThat(async () => ({ kind: "done" }));
    const { posId, object } = await openBooks();
    const batch = vi.spyOn(Object.getPrototypeOf(env.DATABASE) as D1Database, "batch");
    batch.mockRejectedValue(new Error("D1 is not there"));
    await object.change({ currency: "SGD" }, "tester");
    await object.change({ status: "suspended" }, "tester");
    expect(await copyOf(posId)).toMatchObject({ status: "active", currency: "MYR" });
    batch.mockRestore();
    await eventually(async () => {
      skip(30 * SECOND);
      await runDurableObjectAlarm(env.ACCOUNT.getByName(posId));
      expect(await copyOf(posId)).toMatchObject({ status: "suspended", currency: "SGD" });
      expect(await auditedActions(posId)).toEqual(["account.create", "account.change", "account.change"]);
    });
  });

  it("answers a terminal's update with its terms or its deletion", async ({ expect }) => {
    terminalsThat(async () => ({ kind: "done" }));
    const { posId, object } = await openBooks();
    const bound = await object.deviceChanged({ terminalId: "T-3", bindingVersion: 1, bound: true });
    expect(bound).toMatchObject({ kind: "terms", status: "active", terms: { posId } });
    await object.remove("tester");
    expect(await object.deviceChanged({ terminalId: "T-3", bindingVersion: 1, bound: true })).toEqual({
      kind: "deleted",
      actor: "tester",
      version: expect.any(Number),
    });
  });
});
