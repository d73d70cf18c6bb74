/** An outage that ends all connections, and the terminals that come back after it: how long D1 works for them. */
import { TERMINAL_RECONNECT } from "../../src/client/limits.ts";
import { TERMINAL_CONNECT, TERMINAL_LOGIN } from "../cost/sale.ts";
import { d1Milliseconds } from "./parts.ts";
import { PLATFORM } from "./platform.ts";

/** A shop can wait so many seconds for its terminals after an outage. */
export const BACK_WITHIN = 15 * 60;

/** D1's work for a terminal until it is connected, and until D1 also knows it, milliseconds. */
const WORK = {
  login: d1Milliseconds(TERMINAL_LOGIN),
  whole: d1Milliseconds(TERMINAL_LOGIN) + d1Milliseconds(TERMINAL_CONNECT),
};

export interface Storm {
  terminals: number;
  /** Seconds of D1 for the logins alone, and with the notes that the terminals are connected. All are back in between. */
  logins: number;
  whole: number;
}

export function storm(terminals: number): Storm {
  return { terminals, logins: (terminals * WORK.login) / 1_000, whole: (terminals * WORK.whole) / 1_000 };
}

/** Fleets up to which D1 refuses no call of the storm, and up to which it has done all work in time. */
export interface StormLimits {
  calmUpTo: number;
  inTimeUpTo: number;
}

export function stormLimits(): StormLimits {
  return { calmUpTo: calmUpTo(), inTimeUpTo: (BACK_WITHIN * 1_000) / WORK.whole };
}

/**
 * What is left of the waits at the end of the outage is spread over the longest one `L`, falling evenly. With `a` as all work
 * in units of `L`, the queue is longest when as much arrives as D1 does: `L (2a - 1)² / 4a`. It must not exceed D1's patience.
 */
function calmUpTo(): number {
  const patience = PLATFORM.d1Patience.value / TERMINAL_RECONNECT.longest;
  const work = (1 + patience + Math.sqrt((1 + patience) ** 2 - 1)) / 2;
  return (work * TERMINAL_RECONNECT.longest) / WORK.whole;
}
