import { afterEach, describe, it, vi } from "vitest";
import { MemoryStore, type TerminalEvent, type TerminalMemory } from "../../../../../src/sdk/client/terminal.ts";
import {
  APPROVED,
  DECLINED,
  isTrue,
  OWNER,
  requestFrame,
  ScriptedGateway,
} from "../../../../support/scripted-gateway.ts";
import { eventually } from "../../../../support/patience.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("a request", () => {
  it("is stored, then accepted, then begun; its result comes signed", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const order: string[] = [];
    const memory = new MemoryStore();
    const store = {
      load: () => memory.load(),
      save: async (held: TerminalMemory) => {
        await memory.save(held);
        order.push(`stored ${held.held.length}`);
      },
    };
    const { client, connection } = await gateway.connected({
      store,
      onEvent: ({ kind }) => order.push(kind),
      handler: {
        onRequest: async () => {
          order.push("begun");
          return APPROVED;
        },
      },
    });
    await connection.request({ attempt: 4 });
    expect(await connection.frame("accepted")).toEqual({ type: "accepted", requestId: "1000000001", attempt: 4 });
    const result = await connection.frame("result");
    expect(order.slice(0, 5)).toEqual(["stored 0", "connected", "stored 1", "accepted", "begun"]);
    expect(result).toMatchObject({ requestId: "1000000001", ...APPROVED, softwareVersion: "1.0", terminalSn: "SN-1" });
    expect(await isTrue(result)).toBe(true);
    await client.stop();
  });

  it.for([{}, { referenceLabel: "Table" }])(
    "is handed over as sent, without its frame's members: %j",
    async (label, { expect }) => {
      const gateway = new ScriptedGateway();
      const { client, connection } = await gateway.connected();
      const { type, ...sent } = requestFrame(label);
      await connection.request({ type, ...sent });
      const { attempt: _, ...request } = sent;
      expect((await gateway.work()).request).toStrictEqual(request);
      await client.stop();
    },
  );

  it("is not answered when its signature is wrong", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    connection.sendFrame({ ...requestFrame(), signature: "0".repeat(64) });
    connection.sendFrame({ type: "ask", requestId: "1000000001", attempt: 1 });
    expect(await connection.frame("refused")).toMatchObject({ reason: "unknown" });
    expect(connection.frames.waiting).toEqual([]);
    expect(gateway.events).toContainEqual({ kind: "forged-request", requestId: "1000000001" });
    await client.stop();
  });

  it.for([
    ["expired", "read after deliverBy", { deliverBy: Date.now() - 60_000 }],
    ["expired", "read after respondBy", { respondBy: Date.now() - 60_000 }],
    ["unbound", "for another account", { posId: "POS-2" }],
    ["unbound", "for another merchant", { merchantId: "M-2" }],
  ] as const)("is refused as %s when %s", async ([reason, , members], { expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request({ ...members, attempt: 2 });
    expect(await connection.frame("refused")).toEqual({ type: "refused", requestId: "1000000001", attempt: 2, reason });
    expect(gateway.untaken).toEqual([]);
    await client.stop();
  });

  it("is refused as expired by the gateway's clock", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected({}, { serverTime: Date.now() + 3_600_000 });
    await connection.request();
    expect(await connection.frame("refused")).toMatchObject({ reason: "expired" });
    await client.stop();
  });

  it("is refused as busy while another is in progress", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await Promise.all([connection.request(), connection.request({ requestId: "1000000002" })]);
    expect(await connection.frame("refused")).toMatchObject({ requestId: "1000000002", reason: "busy" });
    (await gateway.work()).end(DECLINED);
    await connection.frame("result");
    await connection.request({ requestId: "1000000003" });
    expect((await gateway.work()).request.requestId).toBe("1000000003");
    await client.stop();
  });

  it("is refused for the reason that the handler names, without being stored", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const handler = { refuse: () => "unsupported" as const, onRequest: async () => APPROVED };
    const { client, connection } = await gateway.connected({ handler });
    await connection.request();
    expect(await connection.frame("refused")).toMatchObject({ reason: "unsupported" });
    connection.end();
    expect((await (await gateway.connection()).greet())["open"]).toEqual([]);
    await client.stop();
  });

  it("is not accepted when it cannot be stored", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const store = {
      load: async () => ({ ...OWNER, memory: "m", highestAccepted: null, held: [] }),
      save: async () => {
        throw new Error("disk full");
      },
    };
    const { client, connection } = await gateway.connected({ store });
    await connection.request();
    expect(await connection.frame("refused")).toMatchObject({ reason: "busy" });
    expect(gateway.untaken).toEqual([]);
    expect(gateway.events).toContainEqual({ kind: "memory-failed", error: new Error("disk full") });
    await client.stop();
  });

  it("is accepted again and started once if it is sent again", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    await connection.frame("accepted");
    await gateway.work();
    await connection.request({ attempt: 2, deliverBy: Date.now() - 1 });
    expect(await connection.frame("accepted")).toMatchObject({ attempt: 2 });
    expect(gateway.untaken).toEqual([]);
    await client.stop();
  });

  it("is answered with its result if sent again after its end", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    (await gateway.work()).end(APPROVED);
    await connection.frame("result");
    await connection.request({ attempt: 2 });
    expect(await connection.frame("result")).toMatchObject({ statusCode: "00" });
    expect(gateway.untaken).toEqual([]);
    await client.stop();
  });

  it("is expired if sent again after it is forgotten", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request({ requestId: "1000000005" });
    (await gateway.work()).end(APPROVED);
    await connection.frame("result");
    connection.sendFrame({ type: "ack", requestId: "1000000005", statusCode: "00" });
    for (const requestId of ["1000000005", "1000000004", "999999999"]) {
      await connection.request({ requestId });
      expect(await connection.frame("refused")).toMatchObject({ requestId, reason: "expired" });
    }
    await client.stop();
  });
});

it("reports what becomes of requests, and what the gateway rejects", async ({ expect }) => {
  const gateway = new ScriptedGateway();
  const { client, connection } = await gateway.connected();
  const requestId = "1000000001";
  await connection.request();
  (await gateway.work()).end(DECLINED);
  await connection.frame("result");
  connection.sendFrame({ type: "ack", requestId, statusCode: "11" });
  await connection.request({ requestId: "1000000002", posId: "POS-2" });
  await connection.frame("refused");
  const rejected = { code: "bad_frame", message: "no frame" };
  connection.sendFrame({ type: "error", ...rejected });
  connection.sendFrame({ type: "error", ...rejected, doc: "https://gateway.test/docs", requestId });
  await eventually(() => expect(gateway.events).toHaveLength(7));
  const [{ kind: first }, ...events] = gateway.events as [TerminalEvent, ...TerminalEvent[]];
  expect(first).toBe("connected");
  expect(events).toEqual([
    { kind: "accepted", requestId },
    { kind: "concluded", requestId, statusCode: "11", responseCode: "05" },
    { kind: "acknowledged", requestId, statusCode: "11" },
    { kind: "refused", requestId: "1000000002", reason: "unbound" },
    { kind: "gateway-error", ...rejected, doc: null, requestId: null },
    { kind: "gateway-error", ...rejected, doc: "https://gateway.test/docs", requestId },
  ]);
  await client.stop();
});

describe("a request's end", () => {
  it("is 11 soon after a cancel before the host", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    const work = await gateway.work();
    connection.sendFrame({ type: "cancel", requestId: "1000000001", attempt: 1 });
    expect(await connection.frame("result")).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect(work.controls.signal.aborted).toBe(true);
    await expect(work.controls.reachedHost()).rejects.toMatchObject({ name: "StoppedError", reason: "cancelled" });
    work.fail(new Error("stopped"));
    await client.stop();
  });

  it("is the handler's own 11 if it ends after a cancel", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    const work = await gateway.work();
    work.controls.signal.addEventListener("abort", () => work.end({ statusCode: "11", responseCode: "MINE" }));
    connection.sendFrame({ type: "cancel", requestId: "1000000001", attempt: 1 });
    expect(await connection.frame("result")).toMatchObject({ statusCode: "11", responseCode: "MINE" });
    await client.stop();
  });

  it("is the host's outcome when the cancel comes too late", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    const work = await gateway.work();
    await work.controls.reachedHost();
    connection.sendFrame({ type: "cancel", requestId: "1000000001", attempt: 1 });
    await eventually(() => expect(work.controls.signal.aborted).toBe(true));
    expect(connection.frames.waiting.filter(({ type }) => type === "result")).toEqual([]);
    work.end(APPROVED);
    expect(await connection.frame("result")).toMatchObject({ statusCode: "00" });
    await client.stop();
  });

  it("is 11 at respondBy when the host was not reached", async ({ expect }) => {
    vi.useFakeTimers();
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    const work = await gateway.work();
    await vi.advanceTimersByTimeAsync(76_000);
    expect(await connection.frame("result")).toMatchObject({ statusCode: "11", responseCode: "CUSTOMER_TIMEOUT" });
    await expect(work.controls.reachedHost()).rejects.toMatchObject({ reason: "respond-by" });
    work.fail(new Error("stopped"));
    await client.stop();
  });

  it("is 22 at respondBy at the host, then the host's outcome", async ({ expect }) => {
    vi.useFakeTimers();
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    const work = await gateway.work();
    await work.controls.reachedHost();
    await vi.advanceTimersByTimeAsync(75_000);
    expect(await connection.frame("result")).toMatchObject({ statusCode: "22" });
    await connection.request({ requestId: "1000000002" });
    expect(await connection.frame("refused")).toMatchObject({ requestId: "1000000002", reason: "busy" });
    work.end(APPROVED);
    expect(await connection.frame("result")).toMatchObject({ requestId: "1000000001", statusCode: "00" });
    await connection.request({ requestId: "1000000003" });
    const next = await gateway.work();
    expect(next.request.requestId).toBe("1000000003");
    next.end(DECLINED);
    await connection.frame("result");
    await client.stop();
  });

  it("keeps the handler from the host when it cannot be stored", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const memory = new MemoryStore();
    let full = false;
    const store = {
      load: () => memory.load(),
      save: async (held: TerminalMemory) => {
        if (full) throw new Error("disk full");
        await memory.save(held);
      },
    };
    const { client, connection } = await gateway.connected({ store });
    await connection.request();
    const work = await gateway.work();
    full = true;
    await expect(work.controls.reachedHost()).rejects.toMatchObject({ reason: "memory-failed" });
    full = false;
    work.fail(new Error("stopped"));
    expect(await connection.frame("result")).toMatchObject({ statusCode: "11" });
    await client.stop();
  });

  it("is 11 if the handler fails before the host, else 22", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    (await gateway.work()).fail(new Error("printer on fire"));
    expect(await connection.frame("result")).toMatchObject({ statusCode: "11" });
    await connection.request({ requestId: "1000000002" });
    const work = await gateway.work();
    await work.controls.reachedHost();
    work.fail(new Error("printer on fire"));
    expect(await connection.frame("result")).toMatchObject({ statusCode: "22" });
    await client.stop();
  });

  it("stays as it was when the opposite is reported later", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    (await gateway.work()).end(DECLINED);
    await connection.frame("result");
    await client.report("1000000001", APPROVED);
    expect(gateway.events.at(-1)).toEqual({ kind: "contradiction", requestId: "1000000001", statusCode: "00" });
    connection.sendFrame({ type: "ask", requestId: "1000000001", attempt: 1 });
    expect(await connection.frame("result")).toMatchObject({ statusCode: "11" });
    await client.stop();
  });

  it("comes after a frame for each stage", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    (await gateway.work()).controls.progress("pin");
    expect(await connection.frame("progress")).toEqual({ type: "progress", requestId: "1000000001", stage: "pin" });
    await client.stop();
  });

  it.for([
    ["a fraction", { transAmt: 12.5 }],
    ["a broken text", { invNo: "\ud800" }],
    ["far too much", { invNo: "9".repeat(70_000) }],
  ] as const)("reaches the gateway without its details when they are %s", async ([, transData], { expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    (await gateway.work()).end({ statusCode: "00", responseCode: "00", transData });
    const result = await connection.frame("result");
    expect(result).toMatchObject({ statusCode: "00", responseCode: "00" });
    expect(result).not.toHaveProperty("transData");
    expect(gateway.events.some(({ kind }) => kind === "handler-failed")).toBe(true);
    await client.stop();
  });

  it("keeps its outcome when a member is unknown", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    (await gateway.work()).end({ ...APPROVED, transDta: {} } as never);
    expect(await connection.frame("result")).toMatchObject(APPROVED);
    const told = gateway.events.find(({ kind }) => kind === "handler-failed");
    expect(told).toMatchObject({
      error: { message: expect.stringMatching(/transDta is not an option\. Use statusC/u) },
    });
    await client.stop();
  });
});

describe("a handler that fails", () => {
  it("has its request refused, and the next one is read", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const handler = {
      refuse: () => {
        throw new Error("printer on fire");
      },
      onRequest: async () => APPROVED,
    };
    const { client, connection } = await gateway.connected({ handler });
    for (const requestId of ["1000000001", "1000000002"]) {
      await connection.request({ requestId });
      expect(await connection.frame("refused")).toMatchObject({ requestId, reason: "busy" });
      const error = new Error("printer on fire");
      expect(gateway.events).toContainEqual({ kind: "handler-failed", requestId, error });
    }
    await client.stop();
  });
});
