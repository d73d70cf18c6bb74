/** The kits' own times and counts. The gateway owns those of the interface. */
import { ACCEPT_WITHIN, DEFAULT_REQUEST_SECONDS, RESPOND_BEFORE_END } from "../../protocol/limits.ts";
import { sleep } from "../client/backoff.ts";
import { TERMINAL_RECONNECT } from "../client/terminal.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The terminal kit's clock runs ahead beyond every tolerance, to find a terminal that uses its own clock. */
export function now(): number {
  return Date.now() + 2 * 60 * MINUTE;
}

/** Resolves to "late" when the time is over, while the work itself continues. */
export async function orTimeout<T>(work: Promise<T>, within: number): Promise<T | "late"> {
  const waiting = new AbortController();
  const late = sleep(within, waiting.signal).then(() => "late" as const);
  return Promise.race([work, late]).finally(() => waiting.abort());
}

/**
 * How often a terminal sends `ping` in the kit, in seconds: short, because some libraries do not see the end of a connection
 * that is cut right after a frame (the WebSocket of the JDK: one in three). Then the terminal notices at its third ping.
 */
export const HEARTBEAT_SECONDS_IN_KIT = 2;

/** Until a terminal has noticed a connection that was cut. */
const NOTICED = 3 * HEARTBEAT_SECONDS_IN_KIT * SECOND;

/** The waits for a terminal without a person. */
export const PATIENCE_WITH_PROGRAMS = {
  /** The terminal logs in for the first time within it. */
  start: MINUTE,
  /** An answer that needs no person: `accepted`, `refused`, or a stored result. */
  answer: ACCEPT_WITHIN,
  /** A payment, including the customer's part. */
  payment: 30 * SECOND,
  /** Until the terminal is back after a lost connection: it notices, waits at most the first wait, logs in and says hello. */
  reconnect: NOTICED + TERMINAL_RECONNECT.first + 10 * SECOND,
  /** Until it is back after a restart. */
  restart: 90 * SECOND,
  /**
   * How long nothing may arrive: a terminal in a fast network answers within milliseconds; this leaves time for a slow
   * one.
   */
  silence: 1.5 * SECOND,
  /** How long the gateway is down in the step about outages. */
  outage: 6 * SECOND,
  /** The terminal binds itself within it. */
  bind: 3 * SECOND,
  /** A second process waits some seconds for the first one to leave, before it gives up. */
  second: 20 * SECOND,
  /** It takes the gateway's time again: at most once a minute, and an earlier step may have made it do so. */
  renewal: 75 * SECOND,
};

export type Patience = typeof PATIENCE_WITH_PROGRAMS;

export const PATIENCE_WITH_PEOPLE = {
  ...PATIENCE_WITH_PROGRAMS,
  start: 10 * MINUTE,
  payment: 2 * MINUTE,
  restart: 10 * MINUTE,
  bind: 3 * MINUTE,
};

/** A request's `respondBy`, counted from when it is sent. */
export const USUAL_RESPOND = DEFAULT_REQUEST_SECONDS * SECOND - RESPOND_BEFORE_END;

/** A `respondBy` so near is sooner than a customer pays, and later than the request needs to reach the terminal. */
export const SOON = 3 * SECOND;

/** How late the result due at `respondBy` may be: the gateway cancels five seconds after `respondBy`. */
export const AFTER_RESPOND_BY = 4 * SECOND;

/** How far the kit's clock is put back: more than a terminal waits for anything, less than a login may be off. */
export const CLOCK_MOVES = 5 * MINUTE;

/** A time so far back is past on every clock. */
export const PAST = SECOND;

/** An inquiry waits ten seconds in total. Half of that for the terminal leaves time for the network. */
export const AT_ONCE = 5 * SECOND;

/** Long enough to notice a terminal that answers late and out of order. */
export const A_MOMENT = 200;

/** Timers and clocks are inexact by this. */
export const EARLY = 100;

/** For the terminal to complete the closing handshake. */
export const CLOSING = SECOND;

/** So many seconds are short, but long enough to rule out chance; the gateway itself sends 60. */
export const SHORT_RETRY_AFTER = 3;

/**
 * The most attempts while the gateway is down: at first, and for each second. A terminal that starts with 100 ms and
 * doubles makes about ten within six seconds.
 */
export const TRIES = { atFirst: 10, perSecond: 2 };

/**
 * `enough` reconnection waits are needed to judge their spread. They count as equal if they differ by at most `alike`
 * milliseconds, or by `part` of the longest.
 */
export const SPREAD = { enough: 4, alike: 25, part: 0.1 };

/** For the kit's own terminal to connect to the gateway, and for a transaction to become final after a step. */
export const CONNECT_WITHIN = 20 * SECOND;
export const SETTLE_WITHIN = 20 * SECOND;

/** For one action of a POS, including its retries and the waits between them. */
export const DRIVE_WITHIN = MINUTE;
export const DRIVE_WITHIN_BY_PEOPLE = 10 * MINUTE;

/** A POS gives up a connection after two minutes, some later. */
export const SILENT_WITHIN = 4 * MINUTE;

/** After a refusal that a retry cannot change, a POS may try once with a new token. */
export const MESSAGES_AFTER_REFUSAL = 2;

/** Ten logins are allowed per minute: a POS that needs more than two for a sale soon runs out. */
export const LOGINS_FOR_A_SALE = 2;
