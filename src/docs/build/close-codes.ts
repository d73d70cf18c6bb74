/** Why the gateway closes a terminal's connection, for the terminal's maker. */
import { CLOSE } from "../../terminal/lane/close-codes.ts";
import { figure } from "./figures.ts";

const BACKOFF = "Connect again, with backoff and jitter.";

/** Complete by its type. */
const MEANINGS: Record<keyof typeof CLOSE, { why: string; action: string }> = {
  superseded: {
    why: "Another connection of this terminal said hello, or this one's hello came after a newer one's.",
    action: `Wait ${figure("REPLACED_WAIT")}, and tell the user: two devices may have one identity.`,
  },
  revoked: {
    why: "The terminal was retired, or its secret replaced.",
    action: "Log in again; a 401 needs the operator.",
  },
  protocol: {
    why:
      `No hello within ${figure("HELLO_WITHIN")}, a wrong or second one, a frame that is not JSON text, ` +
      `${figure("BAD_FRAMES")} bad frames, or too many frames at once.`,
    action: `Mend the software. ${BACKOFF}`,
  },
  silent: {
    why: `No \`accepted\` within ${figure("ACCEPT_WITHIN")}, or no \`pong\` within ${figure("PROBE_WAIT")} of a \`ping\`.`,
    action: BACKOFF,
  },
  tooBig: { why: `A frame of more than ${figure("KiB FRAME_BYTES")}.`, action: "Mend the software." },
};

export function closeCodesTable(): string {
  const rows = Object.entries(MEANINGS).map(
    ([name, { why, action }]) => `| \`${CLOSE[name as keyof typeof CLOSE]}\` | ${why} | ${action} |`,
  );
  return ["| Code | Why | What the terminal does |", "| --- | --- | --- |", ...rows, ""].join("\n");
}
