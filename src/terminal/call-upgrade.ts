/**
 * A call and the wait for its answer in one request: the upgrade of the waiting socket has the call. One request costs less
 * than two, and an object that knows its waiter needs no alarm in case nobody waits.
 *
 * The call is in a header, because an upgrade has no body, and the upgrade is a `fetch`, because no WebSocket passes
 * through RPC (https://github.com/cloudflare/workerd/issues/2319). An object one version back does not know this upgrade
 * and returns 404; it is called by RPC.
 */
import type { TransferCall, TransferReply } from "./transfer-calls.ts";

const CALL = "X-Call";
const REPLY = "X-Reply";

/** Every wait has its own path: an older object looks for a transaction there, and there is none without a number. */
const ADDRESS = "https://terminal.internal/wait";

/** A longer call is sent by RPC. The platform allows 128 KB of headers. */
export const LONGEST_CALL = 16_384;

/** The answer to a call, and the socket to wait on if it says so. */
export interface Called {
  reply: TransferReply;
  socket: WebSocket | null;
}

/**
 * The upgrade with a call.
 *
 * @param stages whether the socket should send the stages
 * @returns null if the call is too long for a header
 */
export function callUpgrade(call: TransferCall, stages: boolean): { address: string; headers: HeadersInit } | null {
  const text = headerText(call);
  if (text.length > LONGEST_CALL) return null;
  return { address: stages ? `${ADDRESS}?stages=1` : ADDRESS, headers: { Upgrade: "websocket", [CALL]: text } };
}

/** The call of an upgrade; null if it has none. */
export function readCall(headers: Headers): TransferCall | null {
  const text = headers.get(CALL);
  return text === null ? null : (JSON.parse(text) as TransferCall);
}

/** @param socket the caller's end of its waiting socket */
export function responseTo({ reply, socket }: Called): Response {
  if (socket === null) return Response.json(reply);
  return new Response(null, { status: 101, webSocket: socket, headers: { [REPLY]: headerText(reply) } });
}

/** The object's answer; null if it does not know this upgrade. Throws if it failed. */
export async function readResponse(response: Response): Promise<Called | null> {
  const { status, webSocket: socket } = response;
  const text = response.headers.get(REPLY);
  if (socket !== null && text !== null) return { reply: JSON.parse(text) as TransferReply, socket };
  if (status === 200) return { reply: await response.json<TransferReply>(), socket: null };
  if (status === 404) return null;
  throw new Error(`the object answered ${status}`);
}

/** JSON in ASCII, which a header may contain. */
function headerText(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
