/**
 * What a POS, a terminal, a webhook's receiver or an operator can observe. A limit that nobody outside can observe stands beside
 * its use. Times are `Milliseconds` unless the name says otherwise.
 */
import { DAY, HOUR, MINUTE, SECOND } from "./time/units.ts";

// Messages.

/** A transfer's body has about 600 bytes. 16 KiB leave room for every optional string in four-byte characters. */
export const BODY_BYTES = 16 * 1024;

/** The service's messages stay far below it; deeper documents only cost stack. */
export const JSON_DEPTH = 32;

/** Every language's number type stores such integers exactly (2^53 has sixteen digits). */
export const INTEGER_DIGITS = 15;

/** Per answer: a 400 must not become larger than its request. */
export const JSON_PROBLEMS = 20;

/**
 * A signed message's `datetime` differs from the gateway's clock by at most this: clocks drift, and replays must expire
 * soon.
 */
export const CLOCK_TOLERANCE = 15 * MINUTE;

/** The interface sets this number (part 8). */
export const PREBIND_ENTRIES = 10;

/**
 * Changes of an account's prebind list in an hour (UTC). Each costs a row of the audit log and an event, which are kept
 * for 400 days.
 */
export const PREBIND_CHANGES_AN_HOUR = 60;

/** Bind keys that an account creates in an hour (UTC). Each costs a row of the audit log. */
export const BIND_KEYS_AN_HOUR = 240;

/** Per page of an operator's list. */
export const PAGE_ROWS = 100;

/** The rate limits' window. After it, a refused client may retry. */
export const RETRY_AFTER_SECONDS = 60;

/** While too many calls of an account's object wait: the queue is done by then. */
export const BUSY_RETRY_SECONDS = 3;

/**
 * References per account and day (UTC) that are only asked about or cancelled and never arrive. Each costs a row that
 * is kept for 400 days.
 */
export const UNKNOWN_REFERENCES_A_DAY = 1_000;

// Keys and tokens.

/** The interface sets this life (part 5). A token ends at midnight if that is earlier. */
export const ACCESS_TOKEN_LIFE = 15 * MINUTE;

/** How long a rotated refresh token still returns the same pair, for lost answers and parallel threads. */
export const REFRESH_REPEAT = 120 * SECOND;

/** Long enough for bind and connect, too short to be worth stealing. */
export const TERMINAL_TOKEN_LIFE = 5 * MINUTE;

/** A bind key is read out or scanned at the counter, not stored. */
export const BIND_KEY_LIFE = 10 * MINUTE;

/** 40 bits, guessed against a rate limit within ten minutes. */
export const BIND_KEY_LENGTH = 8;

/** An account has so many at most; one more retires the oldest. */
export const OPEN_BIND_KEYS = 10;

/** A code has 60 bits: nothing but the code itself is needed to use it, from anywhere, for days. */
export const ACTIVATION_CODE_LENGTH = 12;

/** Somebody stands at the device and types it. */
export const ACTIVATION_CODE_HOURS = 1;

/** The codes of a rollout may live so long: devices reach their shops within a week. */
export const ACTIVATION_CODE_HOURS_AT_MOST = 168;

/**
 * A password that an operator chooses has at least so many. A machine sends it, so nobody has to remember it; nothing
 * slows down a guess but the rate limits, so it must be long.
 */
export const PASSWORD_CHARACTERS = 20;

export const PASSWORD_LONGEST = 128;

/** A rotated signing key stays valid, so that no POS stops working. */
export const PREVIOUS_SIGNING_KEY_LIFE = DAY;

/** A terminal's replaced secret stays valid so long, if the terminal does not log in with the new one before. */
export const PREVIOUS_TERMINAL_SECRET_LIFE = DAY;

/** So many are valid at the same time. Each is one more signature to compute for a wrong message. */
export const PREVIOUS_SIGNING_KEYS = 10;

// Transfers.

/** Below it, the steps before a request's end would overlap those after its start. */
export const SHORTEST_REQUEST_SECONDS = 40;

/** This is shorter than the default time-outs of common HTTP clients and proxies. */
export const DEFAULT_REQUEST_SECONDS = 90;

/**
 * Returns the life of a request from the REQUEST_SECONDS of wrangler.toml. A setting that is not a number counts as not
 * set; one that is too short for the steps of a request counts as the shortest.
 */
export function requestLife(configured: string): number {
  const seconds = /^[0-9]{1,6}$/u.test(configured) ? Number(configured) : DEFAULT_REQUEST_SECONDS;
  return Math.max(seconds, SHORTEST_REQUEST_SECONDS) * SECOND;
}

/** Requests that wait for the lane. A fifth means a misconfigured POS. */
export const QUEUE_LENGTH = 4;

/**
 * With this many, a terminal gets no new transaction. Its `hello` lists at most `OPEN_REQUESTS`; a longer one would
 * lock it out permanently.
 */
export const PENDING_TRANSACTIONS = 500;

/** The longest wait for the lane, or for a terminal that reconnects. */
export const QUEUE_WAIT = 10 * SECOND;

/** A terminal refuses to start a request that it reads later than this after it was sent. */
export const DELIVER_WITHIN = 10 * SECOND;

/** Without `accepted` within this time the gateway closes the connection as dead. */
export const ACCEPT_WITHIN = 10 * SECOND;

/** The terminal ends a request this long before the request's end. */
export const RESPOND_BEFORE_END = 15 * SECOND;

/** The gateway cancels this long before the request's end, so that a payment whose customer left is 11, not 22. */
export const CANCEL_BEFORE_END = 10 * SECOND;

/** The gateway waits for a connection that ended less than this ago. */
export const RECONNECT_GRACE = 15 * SECOND;

/** How long an inquiry waits for the terminal's answer, and a cancel for its confirmation. */
export const ANSWER_WAIT = 10 * SECOND;

/** Between two `ask`s about one transaction. */
export const ASK_EVERY = 5 * SECOND;

/** How long a completed answer is replayed: a counter that restarts daily must not replay yesterday's approval. */
export const REPLAY_LIFE = DAY;

/** How long the journal and the reference registry keep a transaction: a year of chargebacks plus a month. */
export const JOURNAL_LIFE = 400 * DAY;

/** Per transaction; later `progress` is ignored. A row must stay far below SQLite's 2 MB. */
export const STAGES = 50;

/** This is the lowest number of ten digits. */
export const FIRST_TRANSACTION_NUMBER = 1_000_000_000;

// Terminal connections.

/** The gateway closes a connection that has not sent `hello` within this time. */
export const HELLO_WITHIN = 10 * SECOND;

/** `welcome` announces it. */
export const HEARTBEAT_SECONDS = 30;

/** Since the last activity: two heartbeats and a delay. */
export const CONNECTED_WITHIN = 70 * SECOND;

/**
 * Terminals that one list of an account's terminals asks whether they are connected. Each is a call to an object; a
 * large shop must not make thousands with one request.
 */
export const ASKED_TERMINALS = 100;

/** A `pong` comes so long after its `ping`, in addition to the time from `welcome` to `hello`. */
export const PROBE_WAIT = 2 * SECOND;

/** With that time, it is at most this. A POS that waits for the terminal has ten seconds. */
export const PROBE_WAIT_AT_MOST = 5 * SECOND;

export const FRAME_BYTES = 64 * 1024;

/** The gateway then closes the connection. */
export const BAD_FRAMES = 10;

/** The most requests that a `hello` may list as open. */
export const OPEN_REQUESTS = 1_000;

/** A frame counts once for each such part of it that is begun, because its cost grows with its length. */
export const COUNTED_BYTES = 1_024;

/**
 * A terminal may send so many continuously. A transaction takes about ten within a minute; more than this is a fault or
 * an attack.
 */
export const FRAMES_PER_SECOND = 50;

/** A terminal may send so many at once: after `hello`, the result of every listed request. */
export const FRAME_BURST = OPEN_REQUESTS + 200;

/**
 * Each connection may send so many before `hello`: one of the longest, and a few more. Nothing but a hello is of use.
 */
export const FRAMES_BEFORE_HELLO = 80;

/** Connections of one terminal that have not sent `hello`. One more closes the oldest; a terminal needs one. */
export const UNCONFIRMED_CONNECTIONS = 4;

/** A replaced terminal (4001) waits this long, so that two devices with one identity do not keep disconnecting each other. */
export const REPLACED_WAIT = MINUTE;

/** How long a terminal waits after `bad_signature` before it signs the result again and sends it. */
export const SIGNATURE_RETRY_WAIT = 5 * SECOND;

/** A result with a wrong signature is requested again so often. */
export const SIGNATURE_RETRIES = 5;

// Business days.

/** After a day's end. By then, what was completed in the day's last seconds is normally recorded. */
export const DAY_GRACE = 15 * MINUTE;

/**
 * A day's totals distinguish so many channels. The rest counts as `OTHER_CHANNELS`: a channel is a terminal's text, and
 * arbitrary texts must not make totals grow without limit.
 */
export const CHANNELS_A_DAY = 50;
export const OTHER_CHANNELS = "(other)";

// Events.

export const EVENTS_PAGE = 100;

/** A proxy may end a request that is silent for longer. */
export const EVENTS_WAIT = MINUTE;

/** Readers of one account that may wait at the same time: each gets every event. */
export const WAITING_READERS = 50;

// Webhooks.

/** An account has so many: one for its books, one for a second system, and one for tests. */
export const WEBHOOKS = 3;

/** The first retries of a failed delivery, each counted from the previous failure. */
export const RETRY_SCHEDULE: readonly number[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];

/** The retries after those. */
export const RETRY_EVERY = 3 * HOUR;

/** An endpoint that has failed for this long is disabled: longer than a weekend. */
export const GIVE_UP_AFTER = 3 * DAY;

/** For an endpoint's answer. */
export const DELIVERY_WAIT = 10 * SECOND;

/** A replaced secret also signs for this long, so that a receiver can switch without missing anything. */
export const PREVIOUS_SECRET_LIFE = DAY;

/** Two pings of one endpoint are at least so far apart: someone else chose the address that the gateway calls. */
export const PING_EVERY = 10 * SECOND;

/**
 * Between two starts of deliveries that an account causes itself, by a replay, a change or a new secret. Without it, each
 * such call would be a post to a host that the account chose.
 */
export const START_EVERY = 5 * SECOND;

export const ATTEMPTS_SHOWN = 20;

/** A delivery's timestamp differs from the receiver's clock by at most this, as in the public verifiers. */
export const WEBHOOK_TOLERANCE = 5 * MINUTE;
