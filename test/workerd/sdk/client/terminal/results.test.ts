import { afterEach, describe, it, vi } from "vitest";
import { signMessage } from "../../../../../src/sdk/client/signature.ts";
import { MemoryStore } from "../../../../../src/sdk/client/terminal.ts";
import type { TerminalResult } from "../../../../../src/sdk/client/terminal.ts";
import type { RequestFrame } from "../../../../../src/protocol/frames.ts";
import { accept, afterRestart, recordResult, requestOf } from "../../../../../src/sdk/client/terminal/duties.ts";
import {
  APPROVED,
  DECLINED,
  PENDING,
  ScriptedGateway,
  SECRET,
  isTrue,
  OWNER,
  requestFrame,
  welcome,
} from "../../../../support/scripted-gateway.ts";
import type { Frame, ScriptedConnection } from "../../../../support/scripted-gateway.ts";

afterEach(() => {
  vi.useRealTimers();
});

const ID = "1000000001";

/** Acknowledges, and waits until the terminal has read it. */
async function ack(connection: ScriptedConnection, statusCode: string): Promise<void> {
  connection.sendFrame({ type: "ack", requestId: ID, statusCode });
  await readUpTo(connection);
}

/** Frames are read one by one: the answer to this one proves that those before it were handled. */
async function readUpTo(connection: ScriptedConnection): Promise<void> {
  connection.sendFrame({ type: "ask", requestId: "1999999999", attempt: 1 });
  await connection.frame("refused");
}

/** What the terminal has sent by now, also what it still has to sign. */
async function sentBy(connection: ScriptedConnection): Promise<readonly Frame[]> {
  for (let times = 0; times < 3; times++) await signMessage({}, SECRET);
  return connection.frames.waiting;
}

/** Processes one request with this result. */
async function ended(gateway: ScriptedGateway, connection: ScriptedConnection, result: TerminalResult): Promise<void> {
  await connection.request();
  await connection.frame("accepted");
  const work = await gateway.work();
  await work.controls.reachedHost();
  work.end(result);
  await connection.frame("result");
}

/** Accepts one request and then loses power: only the store is left. */
async function cutOff(reachedHost: boolean): Promise<{ gateway: ScriptedGateway; store: MemoryStore }> {
  const gateway = new ScriptedGateway();
  const store = new MemoryStore();
  let powered = true;
  const untilPowerCut = {
    load: () => store.load(),
    save: (memory: Parameters<MemoryStore["save"]>[0]) =>
      powered ? store.save(memory) : new Promise<never>(() => undefined),
  };
  const { connection } = await gateway.connected({ store: untilPowerCut });
  await connection.request();
  const work = await gateway.work();
  if (reachedHost) await work.controls.reachedHost();
  powered = false;
  return { gateway, store };
}

describe("a result", () => {
  it("is listed and sent again after every hello until it is acknowledged", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await ended(gateway, connection, APPROVED);
    connection.end();
    const second = await gateway.connection();
    expect((await second.greet())["open"]).toEqual([ID]);
    const result = await second.frame("result");
    expect(result).toMatchObject(APPROVED);
    expect(await isTrue(result)).toBe(true);
    await ack(second, "00");
    second.end();
    const third = await gateway.connection();
    expect((await third.greet())["open"]).toEqual([]);
    await client.connected();
    expect(third.frames.waiting).toEqual([]);
    await client.stop();
  });

  it("is not sent before the gateway has said ready", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await ended(gateway, connection, PENDING);
    connection.end();
    const second = await gateway.connection();
    second.sendFrame(welcome());
    await second.frame("hello");
    await client.report(ID, APPROVED);
    expect(second.frames.waiting).toEqual([]);
    second.sendFrame({ type: "ready" });
    expect(await second.frame("result")).toMatchObject(APPROVED);
    await client.stop();
  });

  it("is repeated as 22 until its ack, and stays pending", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await ended(gateway, connection, PENDING);
    connection.end();
    const second = await gateway.connection();
    await second.greet();
    await second.frame("result");
    await ack(second, "22");
    second.end();
    const third = await gateway.connection();
    expect((await third.greet())["open"]).toEqual([ID]);
    await client.connected();
    await client.report(ID, APPROVED);
    expect(await third.frame("result")).toMatchObject({ statusCode: "00" });
    expect(third.frames.waiting).toEqual([]);
    await client.stop();
  });

  it("survives as 00 the late ack of its 22", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await ended(gateway, connection, PENDING);
    await client.report(ID, APPROVED);
    await connection.frame("result");
    await ack(connection, "22");
    connection.end();
    const second = await gateway.connection();
    expect((await second.greet())["open"]).toEqual([ID]);
    expect(await second.frame("result")).toMatchObject({ statusCode: "00" });
    await client.stop();
  });

  it("is signed again five times if its signature is refused", async ({ expect }) => {
    vi.useFakeTimers();
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await ended(gateway, connection, APPROVED);
    connection.sendFrame({ type: "error", code: "bad_frame", message: "no", requestId: ID });
    for (let times = 1; times <= 5; times++) {
      connection.sendFrame({ type: "error", code: "bad_signature", message: "no", requestId: ID });
      await vi.advanceTimersByTimeAsync(4_999);
      expect(await sentBy(connection)).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(await connection.frame("result")).toMatchObject({ statusCode: "00" });
    }
    connection.sendFrame({ type: "error", code: "bad_signature", message: "no", requestId: ID });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await sentBy(connection)).toEqual([]);
    // After a new hello, and again five times.
    connection.end();
    await vi.advanceTimersByTimeAsync(0);
    const second = await gateway.connection();
    await second.greet();
    await second.frame("result");
    second.sendFrame({ type: "error", code: "bad_signature", message: "no", requestId: ID });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await second.frame("result")).toMatchObject({ statusCode: "00" });
    await client.stop();
  });

  it("is signed again five times even after a re-signed 22", async ({ expect }) => {
    vi.useFakeTimers();
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    const signedAnew = async () => {
      connection.sendFrame({ type: "error", code: "bad_signature", message: "no", requestId: ID });
      await vi.advanceTimersByTimeAsync(5_000);
      return connection.frame("result");
    };
    await ended(gateway, connection, PENDING);
    for (let times = 1; times <= 5; times++) expect(await signedAnew()).toMatchObject({ statusCode: "22" });
    connection.sendFrame({ type: "ack", requestId: ID, statusCode: "22" });
    await readUpTo(connection);
    await client.report(ID, APPROVED);
    await connection.frame("result");
    expect(await signedAnew()).toMatchObject({ statusCode: "00" });
    await client.stop();
  });

  it("is forgotten if its request is unknown to the gateway", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await ended(gateway, connection, APPROVED);
    connection.sendFrame({ type: "error", code: "unknown_request", message: "never sent", requestId: ID });
    await readUpTo(connection);
    connection.end();
    expect((await (await gateway.connection()).greet())["open"]).toEqual([]);
    await client.stop();
  });
});

describe("a request that is unknown to the gateway", () => {
  it("is kept until its outcome is known", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await ended(gateway, connection, PENDING);
    connection.sendFrame({ type: "error", code: "unknown_request", message: "never sent", requestId: ID });
    await readUpTo(connection);
    connection.end();
    expect((await (await gateway.connection()).greet())["open"]).toEqual([ID]);
    await client.stop();
  });
});

describe("a question", () => {
  it("is refused as unknown, with its attempt, without its request", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    for (const type of ["ask", "cancel"]) {
      connection.sendFrame({ type, requestId: ID, attempt: 6 });
      expect(await connection.frame("refused")).toEqual({
        type: "refused",
        requestId: ID,
        attempt: 6,
        reason: "unknown",
      });
    }
    await client.stop();
  });

  it("gets a 22 at once about a request in progress", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.request();
    await gateway.work();
    connection.sendFrame({ type: "ask", requestId: ID, attempt: 1 });
    expect(await connection.frame("result")).toMatchObject({ statusCode: "22", responseCode: "IN_PROGRESS" });
    await client.stop();
  });

  it.for(["ask", "cancel"])(
    "is answered with the host's outcome about a pending one (%s)",
    async (type, { expect }) => {
      const gateway = new ScriptedGateway();
      const reasons: string[] = [];
      const handler = {
        onRequest: async () => PENDING,
        onRecover: async (_: unknown, reason: string) => {
          reasons.push(reason);
          return APPROVED;
        },
      };
      const { client, connection } = await gateway.connected({ handler });
      await connection.request();
      await connection.frame("accepted");
      await connection.frame("result");
      connection.sendFrame({ type, requestId: ID, attempt: 1 });
      expect(await connection.frame("result")).toMatchObject({ statusCode: "00" });
      expect(reasons).toEqual(["asked"]);
      expect(await sentBy(connection)).toEqual([]);
      await client.stop();
    },
  );

  it.for([
    ["ask", 2_000],
    ["cancel", 75_000],
  ] as const)("is answered 22 (%s) if the host is silent for %i ms", async ([type, within], { expect }) => {
    vi.useFakeTimers();
    const gateway = new ScriptedGateway();
    const never = new Promise<never>(() => undefined);
    const handler = { onRequest: async () => PENDING, onRecover: () => never };
    const { client, connection } = await gateway.connected({ handler });
    await connection.request({ respondBy: Date.now() + 75_000 });
    await connection.frame("accepted");
    await connection.frame("result");
    connection.sendFrame({ type, requestId: ID, attempt: 1 });
    await vi.advanceTimersByTimeAsync(within - 100);
    expect(await sentBy(connection)).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await connection.frame("result")).toMatchObject(PENDING);
    await client.stop();
  });

  it("asks the host once about a pending request, if it can", async ({ expect }) => {
    vi.useFakeTimers();
    const gateway = new ScriptedGateway();
    let asked = 0;
    const onRecover = (): Promise<never> => Promise.reject(new Error(`host down ${++asked}`));
    const handler = { onRequest: async () => PENDING, onRecover };
    const { client, connection } = await gateway.connected({ handler });
    await connection.request();
    await connection.frame("result");
    connection.sendFrame({ type: "ask", requestId: ID, attempt: 1 });
    expect(await connection.frame("result")).toMatchObject(PENDING);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(1);
    const error = new Error("host down 1");
    expect(gateway.events).toContainEqual({ kind: "handler-failed", requestId: ID, error });
    await client.stop();
  });

  it("is answered with the result after the request has ended", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await ended(gateway, connection, DECLINED);
    connection.sendFrame({ type: "ask", requestId: ID, attempt: 1 });
    expect(await connection.frame("result")).toMatchObject(DECLINED);
    await client.stop();
  });
});

describe("an accepted request after a restart", () => {
  it("is 11 if it cannot have reached the host", async ({ expect }) => {
    const { gateway, store } = await cutOff(false);
    const { client, connection, hello } = await gateway.connected({ store });
    expect(hello["open"]).toEqual([ID]);
    expect(await connection.frame("result")).toMatchObject({ statusCode: "11", responseCode: "RESTARTED" });
    expect(gateway.untaken).toEqual([]);
    await client.stop();
  });

  it("gets the host's outcome if it may have reached it", async ({ expect }) => {
    vi.useFakeTimers();
    const { gateway, store } = await cutOff(true);
    const answers = [Promise.reject(new Error("host down")), Promise.resolve(APPROVED)];
    answers[0]?.catch(() => undefined);
    const onRecover = (): Promise<TerminalResult> => answers.shift() ?? Promise.reject(new Error("asked too often"));
    const { client, connection, hello } = await gateway.connected({
      store,
      handler: { onRequest: async () => DECLINED, onRecover },
    });
    expect(hello["open"]).toEqual([ID]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await connection.frame("result")).toMatchObject({ statusCode: "00" });
    await client.stop();
  });

  it("may have reached the host if its 22 was reported", ({ expect }) => {
    // The assertion: as the gateway sends it.
    const request = requestOf(requestFrame() as unknown as RequestFrame);
    const empty = { ...OWNER, memory: "memory-1", highestAccepted: null, held: [] };
    const accepted = accept(empty, request).memory;
    expect(accepted.held).toEqual([{ request, stage: "accepted", result: null, acknowledged: false }]);
    const { memory } = recordResult(accepted, request.requestId, PENDING);
    expect(afterRestart(memory)).toEqual({ memory, unclear: [request] });
  });

  it.for([
    ["accepted", DECLINED],
    ["at-host", APPROVED],
  ] as const)("stays as it ended, without asking the host: %s", ([stage, result], { expect }) => {
    const request = requestOf(requestFrame() as unknown as RequestFrame);
    const held = [{ request, stage, result, acknowledged: false }];
    const memory = { ...OWNER, memory: "memory-1", highestAccepted: ID, held };
    expect(afterRestart(memory)).toEqual({ memory, unclear: [] });
  });

  it("is 22 if the handler cannot ask the host", async ({ expect }) => {
    const { gateway, store } = await cutOff(true);
    const { client, connection } = await gateway.connected({ store });
    expect(await connection.frame("result")).toMatchObject({ statusCode: "22" });
    await client.stop();
  });

  it("does not keep the terminal from new requests", async ({ expect }) => {
    const { gateway, store } = await cutOff(true);
    const never = new Promise<never>(() => undefined);
    const handler = { onRequest: async () => APPROVED, onRecover: () => never };
    const { client, connection } = await gateway.connected({ store, handler });
    await connection.request({ requestId: "1000000002" });
    expect(await connection.frame("accepted")).toMatchObject({ requestId: "1000000002" });
    await client.stop();
  });

  it("ends as 11 if the terminal was shut down cleanly", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const store = new MemoryStore();
    const { client, connection } = await gateway.connected({ store });
    await connection.request();
    await gateway.work();
    await client.stop();
    const second = await gateway.connected({ store });
    expect(await second.connection.frame("result")).toMatchObject({ statusCode: "11" });
    await second.client.stop();
  });
});
