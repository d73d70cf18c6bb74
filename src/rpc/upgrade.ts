/**
 * A call and the wait for its answer in one request: the upgrade of the waiting socket has the call. One request costs less
 * than two, and an object that knows its waiter needs no alarm in case nobody waits.
 *
 * The call is in a header, because an upgrade has no body, and the upgrade is a `fetch`, because no WebSocket passes
 * through RPC (https://github.com/cloudflare/workerd/issues/2319). The platform allows 128 KB of headers; a call has a few.
 */
import type { TerminalStub } from "./terminal.ts";
import type { TransferCall, TransferReply } from "./transfers.ts";

const CALL = "X-Call";
const REPLY = "X-Reply";

export const WAIT_ADDRESS = "https://terminal.internal/wait";

/** The answer to a call, and the socket to wait on if it says so. */
export interface Called {
  reply: TransferReply;
  socket: WebSocket | null;
}

/** Calls, and waits if the object says so. Throws if the object, or the connection to it, fails. */
export async function callAndWait(stub: Pick<TerminalStub, "fetch">, call: TransferCall): Promise<Called> {
  return readResponse(await stub.fetch(WAIT_ADDRESS, { headers: { Upgrade: "websocket", [CALL]: headerText(call) } }));
}

/** The call of an upgrade. */
export function readCall(headers: Headers): TransferCall {
  return JSON.parse(headers.get(CALL) ?? "") as TransferCall;
}

/** @param socket the caller's end of its waiting socket */
export function responseTo({ reply, socket }: Called): Response {
  if (socket === null) return Response.json(reply);
  return new Response(null, { status: 101, webSocket: socket, headers: { [REPLY]: headerText(reply) } });
}

/** The object's answer. Throws if it failed. */
async function readResponse(response: Response): Promise<Called> {
  const { status, webSocket: socket } = response;
  const text = response.headers.get(REPLY);
  if (socket !== null && text !== null) return { reply: JSON.parse(text) as TransferReply, socket };
  if (status === 200) return { reply: await response.json<TransferReply>(), socket: null };
  throw new Error(`the object answered ${status}`);
}

/** JSON in ASCII, which a header may contain. */
function headerText(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
