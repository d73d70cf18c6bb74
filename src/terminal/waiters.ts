/**
 * The sockets of POSs that wait. The Worker of such a POS opens one, and both sleep until the transaction is concluded or
 * somebody hangs up.
 */
import type { Connections } from "./connections.ts";
import { standing } from "./lane/index.ts";
import type { LaneShell } from "./lane-shell.ts";
import { WAITER_CLOSE, type Conclusion } from "./transfer-calls.ts";

/**
 * Accepts a waiting socket; false where there is no such transaction. What was concluded since `submit` returned is
 * answered at once.
 */
export function openWait(
  connections: Pick<Connections, "acceptWaiter" | "sendText">,
  lane: Pick<LaneShell, "find" | "lane">,
  socket: WebSocket,
  query: URLSearchParams,
): boolean {
  const requestId = Number(query.get("request"));
  const transaction = lane.find(requestId);
  if (transaction === null) return false;
  connections.acceptWaiter(socket, requestId);
  if (transaction.conclusions > Number(query.get("conclusions"))) {
    const outcome = standing(transaction, lane.lane.link);
    connections.sendText(socket, JSON.stringify({ outcome } satisfies Conclusion));
  }
  return true;
}

/** A waiting socket has ended. Only the last POS that hangs up takes a queued transaction with it. */
export function endWait(connections: Connections, lane: LaneShell, requestId: number, code: number, now: number): void {
  if (code === WAITER_CLOSE.detached) lane.take({ kind: "caller-detached", requestId }, now);
  else if (code !== WAITER_CLOSE.served && connections.waiters(requestId).length === 0) {
    lane.take({ kind: "caller-gone", requestId }, now);
  }
}
