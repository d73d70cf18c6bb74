/**
 * The Worker's side of a wait for an object: a WebSocket on which both sleep until the object has something to say. An
 * object that held a call open meanwhile would be billed for that time; a hibernating one is not.
 */

/** How a wait ended. */
export type Heard<Value> =
  | { kind: "heard"; value: Value }
  /** The time is over. */
  | { kind: "over" }
  /** The asker has hung up. */
  | { kind: "gone" }
  /** The object was reset, or the way to it broke. */
  | { kind: "broken" };

export interface Listening<Value> {
  /** What a text of the object's means; undefined: the wait goes on. */
  read: (text: string) => Value | undefined;
  /** How long it waits, milliseconds. */
  within: number;
  /** Aborts when the asker hangs up, where the platform tells. */
  signal: AbortSignal;
  /** The code that the socket is closed with (RFC 6455, section 7.4.2), by which the object knows how the wait ended. */
  closeCode: (ending: "heard" | "over" | "gone") => number;
}

/**
 * Accepts the socket, waits on it, and closes it. What the object says after that is lost: the asker asks again.
 *
 * @param socket of the response with which the object has accepted the wait
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
  socket.addEventListener("close", () => resolve({ kind: "broken" }));
  socket.addEventListener("error", () => resolve({ kind: "broken" }));
  const hangUp = (): void => resolve({ kind: "gone" });
  signal.addEventListener("abort", hangUp);
  // One that hung up before is not told of again.
  if (signal.aborted) hangUp();
  const timer = setTimeout(() => resolve({ kind: "over" }), within);
  socket.accept();
  try {
    const heard = await promise;
    // Also one that broke is closed from this side (RFC 6455, section 7.1.1).
    socket.close(heard.kind === "broken" ? 1000 : closeCode(heard.kind));
    return heard;
  } catch {
    return { kind: "broken" };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", hangUp);
  }
}
