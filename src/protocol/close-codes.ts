/** Why the gateway closes a terminal's connection (RFC 6455, section 7.4.2: 4000 to 4999 are the application's). */
export const CLOSE = {
  /** Another connection of this terminal has sent hello. The terminal waits a minute before it reconnects, and informs its user. */
  superseded: 4001,
  /** The terminal was retired, or its secret changed. */
  revoked: 4002,
  /** The terminal sent no hello in time, an invalid hello, or too many invalid frames. */
  protocol: 4003,
  /** No `accepted` or no answer to `ping` in time. The terminal reconnects. */
  silent: 4004,
  /** RFC 6455: the message is too large. */
  tooBig: 1009,
  /** RFC 6455: the gateway failed while handling a frame and stored nothing of it. The terminal reconnects. */
  failed: 1011,
} as const;
