/**
 * What the gateway relies on of hibernatable WebSockets. Tried on the local runtime, where an eviction is made by hand:
 * these tests do not prove that an idle object of the deployed platform is put to sleep, nor what that costs.
 */
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Terminal } from "../../../src/gateway/index.ts";
import { connectTerminal, enrolTerminal } from "../../support/gateway.ts";
import { useAccount } from "../../support/scene.ts";

const scene = useAccount();

async function connected() {
  const here = await scene();
  return { pos: here.pos, connection: await here.connect(), stub: env.TERMINAL.getByName(here.terminal.terminalId) };
}

describe("a socket of an object that is evicted", () => {
  it("is the same JavaScript object everywhere in one instance", async ({ expect }) => {
    const { connection, stub } = await connected();
    await evictDurableObject(stub);
    const met = vi.spyOn(Terminal.prototype, "webSocketMessage");
    for (const turn of [1, 2]) {
      connection.send({ type: "unheard-of", turn });
      await connection.next("error");
    }
    const [first, second] = met.mock.calls.map(([socket]) => socket);
    met.mockRestore();
    await runInDurableObject(stub, (_object, state) => {
      expect(first).toBeInstanceOf(WebSocket);
      expect(second === first).toBe(true);
      expect(state.getWebSockets("terminal")[0] === first).toBe(true);
      expect(state.getWebSockets()[0] === first).toBe(true);
    });
  });
});

/** A terminal's connection on which the peer has sent a close frame without a code. */
async function closing(): Promise<{ peer: WebSocket; closed: Promise<number>; stub: DurableObjectStub<Terminal> }> {
  const terminal = await enrolTerminal();
  const { webSocket: peer } = await connectTerminal(terminal);
  if (peer === null) throw new Error("no socket");
  peer.accept();
  const closed = new Promise<number>((resolve) => {
    peer.addEventListener("close", ({ code }) => resolve(code));
  });
  peer.close();
  return { peer, closed, stub: env.TERMINAL.getByName(terminal.terminalId) };
}

describe("a close", () => {
  it("is shown as 1005 without a code, and awaits an answer", async ({ expect }) => {
    const handler = vi.spyOn(Terminal.prototype, "webSocketClose");
    expect(await (await closing()).closed).toBe(1000);
    expect(handler.mock.calls[0]?.[1]).toBe(1005);
    handler.mockImplementation(() => undefined);
    const unanswered = await closing();
    await expect.poll(() => handler.mock.calls.length).toBe(2);
    // Another turn of the object: the runtime has had its chance to answer by itself.
    await runInDurableObject(unanswered.stub, () => undefined);
    expect(unanswered.peer.readyState).toBe(WebSocket.CLOSING);
    handler.mockRestore();
  });

  it("is 1006, and needs no answer, if the connection breaks", async ({ expect }) => {
    const { webSocket } = await connectTerminal(await enrolTerminal());
    if (webSocket === null) throw new Error("no socket");
    webSocket.accept();
    const closed = new Promise<[code: number, wasClean: boolean]>((resolve) => {
      webSocket.addEventListener("close", ({ code, wasClean }) => resolve([code, wasClean]));
    });
    await abortAllDurableObjects();
    expect(await closed).toEqual([1006, false]);
  });

  it("throws with a reserved code or a reason over 123 bytes", async ({ expect }) => {
    const { stub } = await connected();
    await runInDurableObject(stub, (_object, state) => {
      const [socket] = state.getWebSockets("terminal");
      for (const code of [1005, 1006, 1015]) expect(() => socket?.close(code, "")).toThrow();
      expect(() => socket?.close(4000, "x".repeat(124))).toThrow();
    });
  });
});

describe("a message that an object sends", () => {
  it("never leaves it if it is aborted in the same turn", async ({ expect }) => {
    const { pos, connection, stub } = await connected();
    try {
      await runInDurableObject(stub, (_object, state) => {
        state.storage.sql.exec("CREATE TABLE tried (value TEXT)");
        for (const socket of state.getWebSockets("terminal")) socket.send("never seen");
        state.abort("on purpose");
      });
    } catch {
      // The caller of an aborted object gets the abort's reason.
    }
    expect(await connection.closed()).toBe(1006);
    expect(connection.pending()).toEqual([]);
    const next = env.TERMINAL.getByName(pos.terminal.terminalId);
    const tables = await runInDurableObject(next, (_object, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'tried'").toArray(),
    );
    expect(tables).toEqual([]);
  });
});
