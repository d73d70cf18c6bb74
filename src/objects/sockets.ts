/** The peer's close frame had no code: it waits for an answer, in which this code must not be (RFC 6455, 7.4.1). */
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
    // Already closed by the peer or the platform: nothing to do.
  }
}

/** Does nothing if the socket is closed. */
export function sendQuietly(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // The peer or the platform has closed it. Its end is a separate event.
  }
}

/**
 * The Worker waits for an object on a WebSocket: both sleep until the object has something to say. An object that keeps
 * a call open is billed for that time; a hibernating one is not
 * (https://developers.cloudflare.com/durable-objects/best-practices/websockets/).
 */

export type Heard<Value> =
  | { kind: "heard"; value: Value }
  | { kind: "over" }
  | { kind: "gone" }
  /** The object was reset, or the connection to it broke. */
  | { kind: "broken" };

export interface Listening<Value> {
  /** undefined: keep waiting. */
  read: (text: string) => Value | undefined;
  /** Milliseconds. */
  within: number;
  /** Aborts when the caller hangs up, if the platform reports it. */
  signal: AbortSignal;
  /** Closes the socket (RFC 6455, section 7.4.2): tells the object how the wait ended. */
  closeCode: (ending: "heard" | "over" | "gone") => number;
}

/**
 * Accepts the socket, waits on it, and closes it. What the object sends later is lost: the caller asks again.
 *
 * @param socket from the response with which the object accepted the wait
 */
export async function listen<Value>(
  socket: WebSocket,
  { read, within, signal, closeCode }: Listening<Value>,
): Promise<Heard<Value>> {
  const { promise, resolve } = Promise.withResolvers<Heard<Value>>();
  socket.addEventListener("message", ({ data }) => {
    const value = read(String(data));
    if (value !== undefined) resolve({ kind: "heard", value });
  });
  socket.addEventListener("close", ({ code }) => {
    // Our close frame ends the handshake (RFC 6455, section 7.1.1).
    closeQuietly(socket, code, "");
    resolve({ kind: "broken" });
  });
  socket.addEventListener("error", () => resolve({ kind: "broken" }));
  const hangUp = (): void => resolve({ kind: "gone" });
  signal.addEventListener("abort", hangUp);
  // An earlier abort fires no event.
  if (signal.aborted) hangUp();
  const timer = setTimeout(() => resolve({ kind: "over" }), within);
  socket.accept();
  try {
    const heard = await promise;
    if (heard.kind !== "broken") socket.close(closeCode(heard.kind));
    return heard;
  } catch {
    return { kind: "broken" };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", hangUp);
  }
}

/** What the platform says where it refuses a call of an object with too much to do. */
export class Overload extends Error {
  readonly overloaded = true;
}

/** More calls do not help an overloaded object. */
export function isOverload(error: unknown): boolean {
  return typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true;
}
