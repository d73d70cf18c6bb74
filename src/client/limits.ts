/** The waits and limits of the reference clients. Times are in milliseconds. */
import { SECOND, MINUTE } from "../time/units.ts";

/** A terminal reconnects within `first` after one loss, and within `longest` after many in a row. */
export const TERMINAL_RECONNECT = { first: 10 * SECOND, longest: MINUTE };

/** The time limit of a terminal's HTTP call to the gateway. */
export const TERMINAL_HTTP_WITHIN = 15 * SECOND;

/** A terminal does not use its token within this time before it expires: the token still has to arrive. */
export const TERMINAL_TOKEN_MARGIN = 10 * SECOND;

/** A terminal whose monotonic and wall clocks disagree by more has slept or was set. It gets the time from the gateway. */
export const CLOCKS_DISAGREE = 2 * SECOND;

/** How long a handler cancelled before it reached the host may take to return its own result. */
export const CANCEL_GRACE = SECOND;

/** How long a terminal may ask its host about an open request before it answers 22. */
export const ASK_GRACE = 2 * SECOND;

/** The maximum JSON length of a result. With frame and signature it stays well within a frame's size. */
export const RESULT_CHARACTERS = 16 * 1024;

/** Waits between attempts to ask the host after a restart. */
export const CLEAR_UP_RETRY = { first: 5 * SECOND, longest: MINUTE };

/** Waits between attempts to store data that must not be lost. */
export const MEMORY_RETRY = { first: SECOND, longest: 10 * SECOND };

/** A browser tab that was closed or reloaded releases its lock on a terminal's memory within this time. */
export const TAB_LEAVES_WITHIN = 3 * SECOND;

/** A POS renews its access token this long before it expires: requests take time to arrive, and clocks differ. */
export const RENEW_BEFORE = 30 * SECOND;

/**
 * Tokens end at midnight. An idle client logs in within this time after midnight; one that is used logs in at once. All
 * tills of a country have the same midnight, and D1 is asked once for each (`npm run capacity`).
 */
export const LOGIN_SPREAD = 30 * MINUTE;

/** Waits between retries of the same request. */
export const REPEAT_WAIT = { first: 500, longest: 10 * SECOND };

/** A wait requested by the gateway is extended by up to this share of it. */
export const RETRY_SPREAD = 0.25;

/** How often a waiting transfer reports progress: a display that stands still looks broken. */
export const PROGRESS_EVERY = SECOND;

/** After this a POS gives up one HTTP exchange: the life of a request, the queue, and a margin. */
export const POS_HTTP_WITHIN = 2 * MINUTE;

/** How long a POS repeats a transfer by default: two lives of a request. */
export const POS_TRANSFER_WITHIN = 3 * MINUTE;

/** How long a POS repeats every other call by default. */
export const POS_CALL_WITHIN = 30 * SECOND;

/** After this a POS gives up one call that waits for an event: the longest wait, and a margin. */
export const EVENTS_HTTP_WITHIN = 90 * SECOND;

/** From one answer with events to the next call, at least: in a rush they are fetched several at a time. */
export const EVENTS_PACE = SECOND / 4;

/** From one answer without events to the next call, at least. A gateway that can wait holds its answer back for longer. */
export const EMPTY_EVENTS_PACE = 5 * SECOND;
