/** Times in milliseconds. */
import { HOUR, MINUTE, SECOND } from "../../protocol/time/units.ts";

/** A terminal reconnects within `first` after one loss, and within `longest` after many in a row. */
export const TERMINAL_RECONNECT = { first: 10 * SECOND, longest: MINUTE };

export const TERMINAL_HTTP_WITHIN = 15 * SECOND;

/** A terminal stops using its token this long before it expires: the token still has to arrive. */
export const TERMINAL_TOKEN_MARGIN = 10 * SECOND;

/**
 * If a terminal's monotonic and wall clocks differ by more, it has slept or its clock was set: it gets the time from
 * the gateway.
 */
export const CLOCKS_DISAGREE = 2 * SECOND;

/**
 * A terminal's clock gains or loses up to 0.2 s in this time (50 ppm), and its requests expire ten seconds after they are
 * sent: it takes the gateway's time again at least this often.
 */
export const CLOCK_RENEWED_EVERY = HOUR;

/** Minimum between two tries to take the gateway's time, so that a terminal that refuses everything does not hammer. */
export const CLOCK_RENEWAL_PAUSE = MINUTE;

/** How long a handler cancelled before it reached the host may take to return its own result. */
export const CANCEL_GRACE = SECOND;

/** How long a terminal may ask its host about an open request before it answers 22. */
export const ASK_GRACE = 2 * SECOND;

/** Maximum JSON length. With frame and signature it stays well within a frame's size. */
export const RESULT_CHARACTERS = 16 * 1024;

export const CLEAR_UP_RETRY = { first: 5 * SECOND, longest: MINUTE };

/** Waits between attempts to store data that must not be lost. */
export const MEMORY_RETRY = { first: SECOND, longest: 10 * SECOND };

/** A browser tab that was closed or reloaded releases its lock on a terminal's memory within this time. */
export const TAB_LEAVES_WITHIN = 3 * SECOND;

/** A process that is being replaced releases its lock on a terminal's memory within this time. */
export const PROCESS_LEAVES_WITHIN = 3 * SECOND;

/** Maximum size of a webhook's body. Events are far smaller; anybody can post to the address. */
export const WEBHOOK_BODY_BYTES = 1024 * 1024;

/** A POS renews its access token this long before it expires: requests take time to arrive, and clocks differ. */
export const RENEW_BEFORE = 30 * SECOND;

/**
 * Tokens end at midnight. An idle client logs in within this time after midnight; an active one logs in at once. All
 * POS programs of a country share one midnight, and each login costs a D1 query.
 */
export const LOGIN_SPREAD = 30 * MINUTE;

export const REPEAT_WAIT = { first: 500, longest: 10 * SECOND };

/** A wait requested by the gateway is extended by up to this share. */
export const RETRY_SPREAD = 0.25;

/** A display that stands still looks broken. */
export const PROGRESS_EVERY = SECOND;

/** For one HTTP exchange: the life of a request, the queue, and a margin. */
export const POS_HTTP_WITHIN = 2 * MINUTE;

/** Default for all attempts of a transfer: two lives of a request. */
export const POS_TRANSFER_WITHIN = 3 * MINUTE;

/** Default for all attempts of any other call. */
export const POS_CALL_WITHIN = 30 * SECOND;

/** For one call that waits for an event: the longest wait, and a margin. */
export const EVENTS_HTTP_WITHIN = 90 * SECOND;

/** Minimum from one answer with events to the next call: in a rush, several events come at a time. */
export const EVENTS_PACE = SECOND / 4;

/**
 * Minimum from one answer without events to the next call. A gateway that can wait holds its answer back for longer.
 */
export const EMPTY_EVENTS_PACE = 5 * SECOND;
