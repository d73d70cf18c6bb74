/** What both kinds of objects do with sockets whose other end may be gone. */

/** Codes that stand for the absence of a close frame, and must not be sent (RFC 6455, section 7.4.1). */
const RESERVED = new Set([1005, 1006, 1015]);

/** Closes, or answers the peer's close; never throws, as the socket may be gone already. */
export function closeQuietly(socket: WebSocket, code: number, reason: string): void {
  try {
    if (RESERVED.has(code)) socket.close(1000);
    else socket.close(code, reason);
  } catch {
    // Already closed by the peer or the platform: nothing is left to do.
  }
}

/** Sends a text, if the socket is still there. */
export function sendQuietly(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // The peer or the platform has closed it; its end is an event of its own.
  }
}
