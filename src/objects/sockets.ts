/** Operations on sockets whose other end may be gone. */

/** Codes that stand for the absence of a close frame, and must not be sent (RFC 6455, section 7.4.1). */
const RESERVED = new Set([1005, 1006, 1015]);

/** Closes the socket, or answers the peer's close. Never throws: the socket may be gone already. */
export function closeQuietly(socket: WebSocket, code: number, reason: string): void {
  try {
    if (RESERVED.has(code)) socket.close(1000);
    else socket.close(code, reason);
  } catch {
    // Already closed by the peer or the platform: nothing to do.
  }
}

/** Sends a text if the socket is still open. */
export function sendQuietly(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // The peer or the platform has closed it. Its end is a separate event.
  }
}
