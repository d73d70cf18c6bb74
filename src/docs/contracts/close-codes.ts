import {
  ACCEPT_WITHIN,
  BAD_FRAMES,
  FRAME_BYTES,
  HELLO_WITHIN,
  PROBE_WAIT,
  PROBE_WAIT_AT_MOST,
  REPLACED_WAIT,
} from "../../protocol/limits.ts";
import { duration } from "../../protocol/time/duration.ts";
import { CLOSE } from "../../protocol/close-codes.ts";

const AGAIN = "Reconnect with backoff and jitter.";

/**
 * Why the gateway closes a terminal's connection, and what the terminal does then. The type makes this list complete.
 */
const MEANINGS: Record<keyof typeof CLOSE, { why: string; action: string }> = {
  superseded: {
    why: "Another connection has become the current one.",
    action: `Wait ${duration(REPLACED_WAIT)} and tell the user: two devices may have the same identity.`,
  },
  revoked: {
    why: "The terminal was retired, or its secret was replaced.",
    action: "Log in again. After a 401, contact the operator.",
  },
  protocol: {
    why:
      `No hello within ${duration(HELLO_WITHIN)}, a wrong or second hello, a frame that is neither \`ping\`, \`pong\` nor JSON text, ` +
      `${BAD_FRAMES} bad frames, too many or too long frames, or too many connections without a hello.`,
    action: `Fix the software. ${AGAIN}`,
  },
  silent: {
    why: `No \`accepted\` within ${duration(ACCEPT_WITHIN)}, or no \`pong\` in time after a \`ping\`: ${duration(PROBE_WAIT)} and the time from \`welcome\` to \`hello\`, at most ${duration(PROBE_WAIT_AT_MOST)}.`,
    action: AGAIN,
  },
  tooBig: { why: `A frame of more than ${FRAME_BYTES / 1024} KiB.`, action: "Fix the software." },
  failed: { why: "The gateway could not store the content of a frame, and kept nothing of it.", action: AGAIN },
};

export const CLOSE_CODES = Object.entries(MEANINGS).map(([name, { why, action }]) => ({
  code: CLOSE[name as keyof typeof CLOSE],
  name,
  why,
  action,
}));
