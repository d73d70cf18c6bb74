import type { Milliseconds } from "../../protocol/time/units.ts";

/** Stands for a peer's close frame without a code. The answer to it must not contain this code (RFC 6455, 7.4.1). */
const WITHOUT_CODE = 1005;

/**
 * Codes that stand for the absence of a close frame (RFC 6455, section 7.4.1): the connection broke. No peer is left to
 * be answered, and a close would fail later, where nobody can catch it.
 */
const BROKEN: ReadonlySet<number> = new Set([1006, 1015]);

/** Closes the socket, or answers the peer's close. Never throws: the socket may be gone already. */
export function closeQuietly(socket: WebSocket, code: number, reason: string): void {
  if (BROKEN.has(code)) return;
  try {
    if (code === WITHOUT_CODE) socket.close(1000);
    else socket.close(code, reason);
  } catch {
    // The peer or the platform has closed the socket already, so there is nothing to do.
  }
}

/** Does nothing if the socket is closed. */
export function sendQuietly(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // The peer or the platform has closed the socket. Its end is a separate event.
  }
}

/** Why no more texts come: the time is over, the caller has hung up, or the object was reset or its connection broke. */
type WaitEnd = "over" | "gone" | "broken";

interface Wait {
  within: Milliseconds;
  /** It aborts when the caller hangs up, if the platform reports that. */
  signal: AbortSignal;
}

/**
 * The Worker waits for an object on a WebSocket: both sleep until the object has something to say. An object that keeps
 * a call open is billed for that time; a hibernating one is not
 * (https://developers.cloudflare.com/durable-objects/best-practices/websockets/).
 *
 * Accepts the socket, and yields what the object sends. Its caller closes the socket, unless it is broken; what the
 * object sends later is lost, and the caller asks again.
 *
 * @param socket from the response with which the object accepted the wait
 */
export async function* textsFrom(socket: WebSocket, { within, signal }: Wait): AsyncGenerator<string, WaitEnd> {
  const texts: string[] = [];
  let ended: WaitEnd | null = null;
  let arrival = Promise.withResolvers<void>();
  const endAs = (end: WaitEnd): void => {
    ended ??= end;
    arrival.resolve();
  };
  socket.addEventListener("message", ({ data }) => {
    texts.push(String(data));
    arrival.resolve();
  });
  socket.addEventListener("close", ({ code }) => {
    // Our close frame ends the handshake (RFC 6455, section 7.1.1).
    closeQuietly(socket, code, "");
    endAs("broken");
  });
  socket.addEventListener("error", () => endAs("broken"));
  const hangUp = (): void => endAs("gone");
  signal.addEventListener("abort", hangUp);
  // An earlier abort fires no event.
  if (signal.aborted) hangUp();
  const timer = setTimeout(() => endAs("over"), within);
  socket.accept();
  try {
    for (;;) {
      const text = texts.shift();
      if (text !== undefined) yield text;
      else if (ended !== null) return ended;
      else {
        await arrival.promise;
        arrival = Promise.withResolvers<void>();
      }
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", hangUp);
  }
}

/** The platform refuses a call of an object with too much to do. */
export class Overload extends Error {
  readonly overloaded = true;
}

/** More calls do not help an overloaded object. */
export function isOverload(error: unknown): boolean {
  return typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true;
}
