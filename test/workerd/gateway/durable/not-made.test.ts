/** Objects that nobody made: a stranger can have one asked under any name, so that must leave nothing behind. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { accountStub } from "../../../../src/gateway/account/rpc.ts";
import { terminalStub } from "../../../../src/gateway/terminal/rpc.ts";
import { uniqueId } from "../../../support/gateway.ts";

/** What an object has stored: its tables, and its alarm. */
async function storedIn(object: DurableObjectStub): Promise<{ tables: unknown[]; alarm: number | null }> {
  return runInDurableObject(object, async (_instance, { storage }) => ({
    tables: storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
    alarm: await storage.getAlarm(),
  }));
}

const NOTHING = { tables: [], alarm: null };

describe("an account's object without an account", () => {
  it("answers that there is none and stores nothing", async ({ expect }) => {
    const posId = uniqueId("pos");
    const object = accountStub(env, posId);
    const unknown = { kind: "unknown" };
    const signed = { sessionId: "s", posId, signedForm: "{}", signature: "0".repeat(64) };
    const call = { ...signed, datetime: Date.now(), nonce: "n" };
    const cancel = { ...signed, kind: "cancel", deviceId: "t", referenceId: "r", datetime: Date.now() } as const;
    const login = { signedForm: "{}", signature: "0".repeat(64), until: Date.now() };
    const answers = await Promise.all([
      object.openSession("a password", "test-1"),
      object.openSignedSession(login, "test-1"),
      object.standing("s"),
      object.refresh("s", "r", "test-1"),
      object.endSession("s"),
      object.takeCall(call),
      object.admit(cancel),
      object.events({ sessionId: "s", after: 0 }),
      object.event("s", 1),
      object.changeWebhook(call, { kind: "remove", id: 1 }),
      object.change({ status: "active" }, "tester"),
      object.rotateKey("sealed", false, "tester"),
      object.remove("tester"),
      object.closeConflict({ requestId: 1, terminalId: null, reason: "reason", actor: "tester" }),
    ]);
    expect(answers).toEqual(answers.map(() => unknown));
    const none = { kind: "no-such-webhook" };
    expect([await object.pingWebhook(1), await object.switchWebhook({ id: 1, enabled: true }, "t")]).toEqual([
      none,
      none,
    ]);
    expect(await Promise.all([object.webhooks(), object.webhookStates(), object.statistics(0, 1)])).toEqual([
      [],
      [],
      [],
    ]);
    expect([await object.reseal(), await object.resync(), await object.hasDevice("t")]).toEqual([null, false, false]);
    const waited = await env.ACCOUNT.getByName(posId).fetch("https://account/wait?after=0");
    expect(await waited.json()).toEqual(unknown);
    expect(await storedIn(env.ACCOUNT.getByName(posId))).toEqual(NOTHING);
  });

  it("reports its deletion to terminals, and stores none of their outcomes", async ({ expect }) => {
    const posId = uniqueId("pos");
    const object = accountStub(env, posId);
    const update = { terminalId: "t", bindingVersion: 1, bound: true };
    expect(await object.deviceChanged(update)).toEqual({ kind: "deleted", version: 1 });
    await object.replacesPrebound(["t"], { session: "s", address: "192.0.2.1" });
    expect(await object.record([])).toEqual({ recorded: [] });
    expect(await storedIn(env.ACCOUNT.getByName(posId))).toEqual(NOTHING);
  });
});

describe("the object of a terminal that was never enrolled", () => {
  it("answers that there is none and stores nothing", async ({ expect }) => {
    const terminalId = uniqueId("term");
    const object = terminalStub(env, terminalId);
    const binding = { posId: "p", merchantId: "m", currency: "MYR", timezone: "UTC" };
    const none = { kind: "not-enrolled" };
    expect(
      await Promise.all([
        object.bind(binding, "move"),
        object.changeSecret({ sealedSecret: "sealed", revokePrevious: false, actor: "tester" }),
        object.createActivationCode({ digest: "d", expiresAt: 1 }, "tester"),
        object.retire("tester"),
      ]),
    ).toEqual([none, none, none, none]);
    expect(await object.activate(["d"], "sealed")).toEqual({ kind: "wrong" });
    expect(await object.verifyLogin({})).toEqual({ kind: "unknown" });
    expect(await object.verifyBind({}, 1)).toEqual({ kind: "refused" });
    expect(await object.unbind(null, "tester")).toEqual({ kind: "not-bound" });
    expect(await object.applyAccountUpdate("p", { kind: "deleted", version: 1 })).toEqual({ kind: "done" });
    expect(await object.resolve(1, "00", "reason", "tester")).toEqual({ kind: "not-found" });
    expect(await object.transactions(null, 10)).toEqual({ entries: [], orphanResults: [] });
    expect(await object.ownTransaction("p", { referenceId: "r" })).toBeNull();
    expect(await object.statistics(0, Date.now())).toEqual([]);
    expect(await object.status()).toMatchObject({ connected: false, lastHeard: null, posId: null });
    expect([await object.reseal(), await object.resync()]).toEqual([null, false]);
    await object.describe({ name: "a name" });
    await object.prewarm("p");
    const connect = new Request("https://terminal/connect", { headers: { Upgrade: "websocket" } });
    expect((await object.fetch(connect)).status).toBe(401);
    expect(await storedIn(env.TERMINAL.getByName(terminalId))).toEqual(NOTHING);
  });
});
