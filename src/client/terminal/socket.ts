/** The part of a WebSocket event that is used here. */
export interface SocketEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
}

/** The part of a WebSocket that is used here, of browsers, Node and workers. */
export interface TerminalSocket {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: SocketEvent) => void): void;
}

/**
 * Opens a WebSocket, connecting or already open. Replace it in tests, or in a runtime without a `WebSocket` constructor.
 */
export type OpenSocket = (url: string, protocols: string[]) => TerminalSocket | Promise<TerminalSocket>;

/** The platform's own WebSocket. */
export function openPlatformSocket(url: string, protocols: string[]): TerminalSocket {
  return new WebSocket(url, protocols);
}
