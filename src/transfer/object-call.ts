/** The call to the terminal's object: on the upgrade that waits for its answer, or by RPC if nobody waits. */
import { type Called, callUpgrade, readResponse } from "../terminal/call-upgrade.ts";
import type { TerminalStub } from "../terminal/stub.ts";
import { type TransferCall, type TransferReply, waiterAddress } from "../terminal/transfer-calls.ts";

export type Waiting = Extract<TransferReply, { kind: "waiting" }>;

/** Whether the caller waits if it is told to, and whether it gets the stages. */
export interface Caller {
  waits: boolean;
  stages: boolean;
}

/** Throws if the object, or the connection to it, fails. */
export async function callObject(stub: TerminalStub, call: TransferCall, caller: Caller): Promise<Called> {
  const upgrade = caller.waits ? callUpgrade(call, caller.stages) : null;
  if (upgrade !== null) {
    const called = await readResponse(await stub.fetch(upgrade.address, { headers: upgrade.headers }));
    if (called !== null) return called;
  }
  const reply = await byRpc(stub, call);
  return {
    reply,
    socket: reply.kind === "waiting" && caller.waits ? await openWait(stub, reply, caller.stages) : null,
  };
}

function byRpc(stub: TerminalStub, { call, question }: TransferCall): Promise<TransferReply> {
  switch (call) {
    case "submit":
      return stub.submit(question);
    case "cancel":
      return stub.cancel(question);
    case "inquire":
      return stub.inquire(question);
    default:
      return call satisfies never;
  }
}

/** After a call by RPC. The socket gets at once what was concluded since. */
async function openWait(stub: TerminalStub, reply: Waiting, stages: boolean): Promise<WebSocket> {
  const { about, conclusions } = reply;
  const address = waiterAddress({ requestId: about.requestId, conclusions, stages, ticks: true });
  const { webSocket } = await stub.fetch(address, { headers: { Upgrade: "websocket" } });
  if (webSocket === null) throw new Error("the object opened no socket");
  return webSocket;
}
