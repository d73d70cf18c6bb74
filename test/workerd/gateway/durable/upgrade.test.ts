/** A call on the upgrade that waits for its answer: what the object does with one, whatever becomes of the Worker. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { type Called, callAndWait, WAITER_CLOSE } from "../../../../src/gateway/terminal/transfer-replies.ts";
import type { TransferCall } from "../../../../src/protocol/transfer-message.ts";
import { terminalStub } from "../../../../src/gateway/terminal/rpc.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { type Scene, useAccount } from "../../../support/scene.ts";
import { inquiryCall, type SaleCall, saleCall } from "../../../support/transfer-call.ts";

useFakeClock();
const scene = useAccount();

function saleOf({ pos }: Scene, changes: Partial<SaleCall> = {}): SaleCall {
  return saleCall(pos.account, { referenceId: pos.reference(), ...changes });
}

function upgrade({ terminal }: Scene, call: TransferCall): Promise<Called> {
  return callAndWait(terminalStub(env, terminal.terminalId), call);
}

/** The next text on a waiting socket. */
function nextOn(socket: WebSocket | null): Promise<{ outcome?: { statusCode: string } }> {
  if (socket === null) throw new Error("there is no socket");
  const { promise, resolve } = Promise.withResolvers<{ outcome?: { statusCode: string } }>();
  socket.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data)) as object));
  socket.accept();
  return promise;
}

function waitersAt({ terminal }: Scene): Promise<number> {
  return runInDurableObject(
    env.TERMINAL.getByName(terminal.terminalId),
    (_object, context) => context.getWebSockets().length - context.getWebSockets("terminal").length,
  );
}

describe("the end of a waiting socket", () => {
  it("says why by its code: served, a shorter wait, or hung up", ({ expect }) => {
    expect(new Set(Object.values(WAITER_CLOSE)).size).toBe(3);
  });
});

describe("a call in an upgrade request", () => {
  it("gets its own socket, and its outcome on it", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const { reply, socket } = await upgrade(here, saleOf(here));
    expect(reply).toMatchObject({ kind: "waiting", standing: { statusCode: "22" } });
    const told = nextOn(socket);
    here.approve(connection, await connection.acceptNext());
    expect((await told).outcome?.statusCode).toBe("00");
    socket?.close();
  });

  it("is answered at once, without a socket, if it needs no wait", async ({ expect }) => {
    const here = await scene();
    const sale = saleOf(here);
    const first = await upgrade(here, sale);
    expect(first).toMatchObject({
      reply: { kind: "answered", outcome: { responseCode: "TERMINAL_OFFLINE" } },
      socket: null,
    });
    const again = await upgrade(here, sale);
    expect(again.reply).toMatchObject({ kind: "answered", replayed: true });
    const getLast = inquiryCall(here.pos.account, { transType: "getLast", referenceId: here.pos.reference() });
    const refused = await upgrade(here, getLast);
    expect(refused).toMatchObject({ reply: { kind: "refused", code: 40004 }, socket: null });
    expect(await waitersAt(here)).toBe(0);
  });

  it("joins what the first call began if the answer was lost", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = saleOf(here);
    const lost = await upgrade(here, sale);
    lost.socket?.accept();
    lost.socket?.close(1011);
    const { socket } = await upgrade(here, sale);
    const told = nextOn(socket);
    here.approve(connection, await connection.acceptNext());
    expect((await told).outcome?.statusCode).toBe("00");
    expect(await here.journal()).toHaveLength(1);
    await connection.next("ack");
    expect(await connection.frames()).toEqual([]);
    socket?.close();
  });

  it("is never sent if its Worker goes away before it waits", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const running = here.pos.sale();
    const request = await connection.acceptNext();
    const sale = saleOf(here);
    const { reply, socket } = await upgrade(here, sale);
    expect(reply.kind).toBe("waiting");
    socket?.accept();
    socket?.close(1011);
    const row = await here.reaches(sale.referenceId, "completed");
    expect(row).toMatchObject({ attempt: 0, outcome: { responseCode: "CANCELLED" } });
    here.approve(connection, request);
    expect((await running).body.statusCode).toBe("00");
  });

  it("passes any text unchanged", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const note = "กาแฟ ☕ 𝄞 \u0085 \\u0041";
    const { socket } = await upgrade(here, saleOf(here, { details: { note } }));
    const request = await connection.acceptNext();
    expect(request).toMatchObject({ transData: { note } });
    const told = nextOn(socket);
    here.approve(connection, request);
    await told;
    socket?.close();
  });
});
