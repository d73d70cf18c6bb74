/** The way to the host: who may take it, who shuts it, and what follows once a request may have taken it. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import {
  MemoryStore,
  type RequestControls,
  type TerminalResult,
  type TerminalStore,
} from "../../../../../src/sdk/client/terminal.ts";
import { eventually } from "../../../../support/patience.ts";
import { APPROVED, DECLINED, ScriptedGateway } from "../../../../support/scripted-gateway.ts";
import { ID, resultOf, SlowStore, STOPPED } from "../../../../support/terminal-outcomes.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the way to the host", () => {
  it("is stored once for all who ask, and stays open", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const store = new SlowStore();
    const { client, connection } = await gateway.connected({ store });
    await connection.request();
    const work = await gateway.work();
    const { saves } = store;
    const saving = store.hold();
    let passed = 0;
    const reached = [1, 2].map(() => work.controls.reachedHost().then(() => (passed += 1)));
    await saving;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(passed).toBe(0);
    store.release();
    await Promise.all(reached);
    await work.controls.reachedHost();
    expect(store.saves).toBe(saves + 1);
    expect((await store.load())?.held[0]?.stage).toBe("at-host");
    work.end(APPROVED);
    expect(await resultOf(connection)).toEqual(APPROVED);
    await client.stop();
  });

  it.for([
    ["a cancel", STOPPED.cancelled],
    ["the end of its time", STOPPED.late],
    ["a stop", STOPPED.off],
  ] as const)("is shut by %s that comes while the note is being stored", async ([what, result], { expect }) => {
    const gateway = new ScriptedGateway();
    const store = new SlowStore();
    const onRequest = async (_: unknown, controls: RequestControls): Promise<TerminalResult> => {
      did.push("begun");
      await controls.reachedHost();
      did.push("charged");
      return APPROVED;
    };
    const did: string[] = [];
    const { client, connection } = await gateway.connected({ store, handler: { onRequest } });
    const accepting = store.hold();
    await connection.request({ respondBy: Date.now() + 5_000 });
    await accepting;
    store.release();
    const saving = store.hold();
    await saving;
    const stopping = what === "a stop" ? client.stop() : null;
    if (what === "a cancel") connection.sendFrame({ type: "cancel", requestId: ID, attempt: 1 });
    await vi.advanceTimersByTimeAsync(what === "the end of its time" ? 5_000 : 0);
    store.release();
    await eventually(async () => expect((await store.load())?.held[0]?.result).toEqual(result));
    if (stopping === null) expect(await resultOf(connection)).toEqual(result);
    expect(did).toEqual(["begun"]);
    await (stopping ?? client.stop());
  });

  it.for([
    ["a cancel", STOPPED.cancelled],
    ["the end of its time", STOPPED.late],
  ] as const)("shut by %s ends the request though its handler does not return", async ([what, result], { expect }) => {
    const gateway = new ScriptedGateway();
    const store = new SlowStore();
    const { client, connection } = await gateway.connected({ store });
    await connection.request({ respondBy: Date.now() + 5_000 });
    const work = await gateway.work();
    const saving = store.hold();
    const reached = work.controls.reachedHost();
    await saving;
    if (what === "a cancel") connection.sendFrame({ type: "cancel", requestId: ID, attempt: 1 });
    await vi.advanceTimersByTimeAsync(what === "a cancel" ? 0 : 5_000);
    store.release();
    await expect(reached).rejects.toMatchObject({ name: "StoppedError" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await store.load())?.held[0]?.result).toEqual(result);
    expect(await resultOf(connection)).toEqual(result);
    work.end(APPROVED);
    await client.stop();
  });

  it("is shut by a stop, before others use the store", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const store = new MemoryStore() as TerminalStore;
    const did: string[] = [];
    store.close = async () => void did.push("closed");
    const { client, connection } = await gateway.connected({ store });
    await connection.request();
    const { controls } = await gateway.work();
    await client.stop();
    expect([controls.signal.reason, did]).toEqual(["stopped", ["closed"]]);
    await expect(controls.reachedHost()).rejects.toMatchObject({ reason: "stopped" });
    expect((await store.load())?.held[0]?.result).toEqual(STOPPED.off);
    await client.report(ID, APPROVED);
    expect((await store.load())?.held[0]?.result).toEqual(STOPPED.off);
  });

  it("is shut by a stop for a request just being stored", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const store = new SlowStore();
    const { client, connection } = await gateway.connected({ store });
    const saving = store.hold();
    await connection.request();
    await saving;
    const stopping = client.stop();
    await vi.advanceTimersByTimeAsync(0);
    store.release();
    await stopping;
    expect((await store.load())?.held).toMatchObject([{ stage: "accepted", result: STOPPED.off }]);
  });

  it("holds a stop up, once passed, until the handler returns", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const store = new SlowStore();
    const host = Promise.withResolvers<TerminalResult>();
    const onRequest = async (_: unknown, controls: RequestControls) => {
      await controls.reachedHost();
      return host.promise;
    };
    const { client, connection } = await gateway.connected({ store, handler: { onRequest } });
    await connection.request();
    // The fresh memory, the request, and the note.
    await eventually(() => expect(store.saves).toBe(3));
    let isStopped = false;
    const stopping = client.stop().then(() => (isStopped = true));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(isStopped).toBe(false);
    host.resolve(APPROVED);
    await stopping;
    const { saves } = store;
    expect((await store.load())?.held).toMatchObject([{ stage: "at-host", result: APPROVED }]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(store.saves).toBe(saves);
  });
});

async function restarted(onRecover: () => Promise<TerminalResult>) {
  const store = new MemoryStore();
  const first = new ScriptedGateway();
  const { connection } = await first.connected({ store });
  await connection.request();
  await connection.frame("accepted");
  await (await first.work()).controls.reachedHost();
  const saved = await store.load();
  if (saved === null) throw new Error("nothing is stored");
  const again = new MemoryStore();
  await again.save(saved);
  const gateway = new ScriptedGateway();
  const handler = { onRequest: async () => DECLINED, onRecover };
  return {
    gateway,
    ...(await gateway.connected({ store: again, handler, random: () => 1 }, { heartbeatSeconds: 1_000 })),
  };
}

describe("a request that may have reached the host", () => {
  it("is asked about until the host answers, with growing waits", async ({ expect }) => {
    let asked = 0;
    let hasAnswer = false;
    const { client, connection } = await restarted(async () => {
      asked += 1;
      if (!hasAnswer) throw new Error("host down");
      return APPROVED;
    });
    await eventually(() => expect(asked).toBe(1));
    for (const [index, wait] of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000].entries()) {
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(asked).toBe(1 + index);
      await vi.advanceTimersByTimeAsync(1);
      expect(asked).toBe(2 + index);
    }
    // Until then, every question is answered after two seconds.
    for (let times = 0; times < 2; times++) {
      connection.sendFrame({ type: "ask", requestId: ID, attempt: 1 });
    }
    connection.sendFrame({ type: "ask", requestId: "1999999999", attempt: 1 });
    await connection.frame("refused");
    await vi.advanceTimersByTimeAsync(2_000);
    for (let times = 0; times < 2; times++) {
      expect(await resultOf(connection)).toEqual({
        statusCode: "22",
        responseCode: "HOST_PENDING",
        responseText: "The terminal was restarted and is asking the host.",
      });
    }
    hasAnswer = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await resultOf(connection)).toEqual(APPROVED);
    expect(asked).toBe(8);
    await client.stop();
  });

  it("is not asked about any more after a stop", async ({ expect }) => {
    let asked = 0;
    const { client } = await restarted(async () => {
      asked += 1;
      throw new Error("host down");
    });
    await eventually(() => expect(asked).toBe(1));
    await client.stop();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked).toBe(1);
  });
});
