/** Why the gateway closes a terminal's connection (RFC 6455, section 7.4.2: 4000 to 4999 are the application's). */
export const CLOSE = {
  /** Another connection of this terminal has said hello: wait a minute before coming back, and tell the user. */
  superseded: 4001,
  /** The terminal was retired, or its secret changed. */
  revoked: 4002,
  /** No hello in time, a wrong one, or frames that are none. */
  protocol: 4003,
  /** No `accepted`, or no answer to `ping`, in time: reconnect. */
  silent: 4004,
  /** RFC 6455: the message is too big. */
  tooBig: 1009,
  /** RFC 6455: the gateway failed in the middle of a frame, and kept nothing of it. Reconnect. */
  failed: 1011,
} as const;
