/** An operator's changes reach the object first, then D1 and the terminals, each once and in order. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { accountStub } from "../../src/rpc/account.ts";
import { auditOf } from "../support/audit.ts";
import { skip, useFakeClock } from "../support/clock.ts";
import { uniqueId } from "../support/gateway.ts";
import { newAccount, openBooks, terminalsThat } from "./books.ts";
import { eventually } from "../support/patience.ts";

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
  it("is created once: a second account under its posId is refused, even after the first is deleted", async ({
    expect,
  }) => {
    terminalsThat(async () => ({ kind: "done" }));
    const { posId, object } = await openBooks();
    expect(await object.create(newAccount(posId, "key"), "tester")).toEqual({ kind: "taken" });
    await object.remove("tester");
    expect(await object.create(newAccount(posId, "key"), "tester")).toEqual({ kind: "taken" });
    expect(await object.change({ currency: "SGD" }, "tester")).toEqual({ kind: "deleted" });
    expect(await object.remove("tester")).toEqual({ kind: "deleted" });
    expect(await accountStub(env, uniqueId("pos")).remove("tester")).toEqual({ kind: "unknown" });
  });

  it("is in D1 with its audit rows when the call that changes it returns", async ({ expect }) => {
    terminalsThat(async () => ({ kind: "done" }));
    const { posId, object } = await openBooks();
    await object.change({ currency: "SGD" }, "tester");
    expect(await copyOf(posId)).toMatchObject({ status: "active", currency: "SGD" });
    expect(await auditedActions(posId)).toEqual(["account.create", "account.change"]);
  });

  it("changes even if D1 fails, and D1 gets the copy and the audit rows later, in order and once", async ({
    expect,
  }) => {
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

  it("sends the newest terms to each of its terminals, and retries those that it could not reach", async ({
    expect,
  }) => {
    const { posId, object } = await openBooks();
    let isSick = true;
    const told: string[] = [];
    terminalsThat(async (news) => {
      if (isSick && told.length > 0) throw new Error("the object is not there");
      told.push(news.kind === "terms" ? news.terms.currency : news.kind);
      return { kind: "done" };
    });
    await object.change({ currency: "SGD" }, "tester");
    expect(told).toEqual(["SGD"]);
    isSick = false;
    skip(2 * SECOND);
    await runDurableObjectAlarm(env.ACCOUNT.getByName(posId));
    await eventually(() => {
      expect(told).toEqual(["SGD", "SGD"]);
    });
    await object.change({ name: "nobody's business but the operator's" }, "tester");
    expect(told).toEqual(["SGD", "SGD"]);
  });

  it("answers a terminal's news with its terms, and with its deletion once it is deleted", async ({ expect }) => {
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

  it("ignores news of a terminal that is older than what it knows", async ({ expect }) => {
    const books = await openBooks();
    await books.object.deviceChanged({ terminalId: "T-1", bindingVersion: 3, bound: false });
    await books.object.deviceChanged({ terminalId: "T-1", bindingVersion: 2, bound: true });
    const refused = await books.object.admit(books.question({ signature: null }));
    expect(refused).toEqual({ kind: "wrong-signature", bound: false });
  });

  it("that is deleted asks its terminals to unbind until each of them has", async ({ expect }) => {
    const { posId, object } = await openBooks();
    let busy = 3;
    const asked = terminalsThat(async () => (busy-- > 0 ? { kind: "busy" } : { kind: "done" }));
    await object.remove("tester");
    for (let wait = 0; wait < 5; wait++) {
      skip(120 * SECOND);
      await runDurableObjectAlarm(env.ACCOUNT.getByName(posId));
      await object.standing("none");
    }
    expect(asked.mock.calls.every(([, news]) => news.kind === "deleted")).toBe(true);
    expect(busy).toBe(-2);
  });
});
