/**
 * Every number of the gateway that is a limit or a time, in one place, each with its reason.
 * Times are milliseconds unless the name says otherwise.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A transfer's body is some 600 bytes; 16 KiB leave room for every optional text in four-byte characters. */
export const BODY_BYTES = 16 * 1024;

/** Nesting that no message of ours comes near; deeper documents only cost stack. */
export const JSON_DEPTH = 32;

/** Digits of an integer that every language's number type carries exactly (2^53 has sixteen). */
export const INTEGER_DIGITS = 15;

/** Problems that one answer names at most, and code units of one name in a path: a 400 must not outgrow its request. */
export const JSON_PROBLEMS = 20;
export const PATH_NAME_LENGTH = 64;

/** Part 5 of the interface: the access token's life, unless midnight comes first. */
export const ACCESS_TOKEN_LIFE = 15 * MINUTE;

/** How long a rotated refresh token still gets the same pair again: lost answers, parallel threads. */
export const REFRESH_REPEAT = 120 * SECOND;

/** The life of a terminal's token: long enough for bind and connect, too short to be worth stealing. */
export const TERMINAL_TOKEN_LIFE = 5 * MINUTE;

/** How far a signed message's `datetime` may be off: clocks drift, replays must not live for ever. */
export const CLOCK_TOLERANCE = 15 * MINUTE;

/** A bind key is read out or scanned across a counter, not kept. */
export const BIND_KEY_LIFE = 10 * MINUTE;

/** Characters of a bind key: 40 bits, guessed against a rate limit within ten minutes. */
export const BIND_KEY_LENGTH = 8;

/** Open bind keys per account; one more retires the oldest. */
export const OPEN_BIND_KEYS = 10;

/** Tries to draw a bind key that no other open key is: two of 2^40 hardly ever meet, five pairs in a row never. */
export const BIND_KEY_DRAWS = 5;

/** Part 8 of the interface: entries of a prebind list that count. */
export const PREBIND_ENTRIES = 10;

/** NIST SP 800-63B-4 asks for more than eight where nothing else protects the account. */
export const PASSWORD_CHARACTERS = 12;

/** Longer passwords only cost hashing. */
export const PASSWORD_LONGEST = 256;

/** A rotated signing key stays valid for so long, so that no register stands still. */
export const PREVIOUS_SIGNING_KEY_LIFE = DAY;

/**
 * Signing keys, opened and as a hash that has taken them in, and verified tokens that one isolate remembers: one or two
 * kilobytes each of its 128 MB.
 */
export const SIGNING_KEYS = 1_000;
export const OPENED_KEYS = 1_000;
export const VERIFIED_TOKENS = 1_000;

/** Audit rows are kept for two years. */
export const AUDIT_LIFE = 730 * DAY;

/** The journal, and with it the reference registry, remembers so long: a year's chargebacks and a month. */
export const JOURNAL_LIFE = 400 * DAY;

/** Settled rows that one turn deletes at most, so that pruning never delays a payment. */
export const PRUNE_ROWS = 100;

/** How often an otherwise idle object looks for rows that its journal may forget. */
export const PRUNE_EVERY = 30 * DAY;

/** Rows that one statement of the daily clean-up deletes at most. */
export const CLEAN_UP_ROWS = 1_000;

/** A settled answer is replayed for so long; a counter that restarts daily must not replay yesterday's approval. */
export const REPLAY_LIFE = DAY;

/** The shortest REQUEST_SECONDS: below it the steps before a request's end would overlap those after its start. */
export const SHORTEST_REQUEST_SECONDS = 40;

/** REQUEST_SECONDS where it is not set: shorter than the default time-outs of common HTTP clients and proxies. */
export const DEFAULT_REQUEST_SECONDS = 90;

/**
 * The life of a request in milliseconds, by the REQUEST_SECONDS of wrangler.toml. A setting that is no number counts as
 * not set; one that is too short for the steps of a request counts as the shortest.
 */
export function requestLife(configured: string): number {
  const seconds = /^[0-9]{1,6}$/u.test(configured) ? Number(configured) : DEFAULT_REQUEST_SECONDS;
  return Math.max(seconds, SHORTEST_REQUEST_SECONDS) * SECOND;
}

/** Requests that wait for the lane at most; a fifth is a misconfigured till. */
export const QUEUE_LENGTH = 4;

/** A queued request waits for the lane, or for a terminal that reconnects, at most so long. */
export const QUEUE_WAIT = 10 * SECOND;

/** A terminal must begin to read a request within so long after it was sent. */
export const DELIVER_WITHIN = 10 * SECOND;

/** No `accepted` for so long: the connection is taken for dead. */
export const ACCEPT_WITHIN = 10 * SECOND;

/** The terminal ends a request by itself so long before the request's end. */
export const RESPOND_BEFORE_END = 15 * SECOND;

/** The gateway cancels so long before the request's end: a customer who walked away is an 11, not a 22. */
export const CANCEL_BEFORE_END = 10 * SECOND;

/** After a request's end the lane waits so long for the answer to the cancel. */
export const LANE_AFTER_END = 10 * SECOND;

/** A request that the terminal refused as busy is offered again after so long. */
export const PUT_BACK_WAIT = 2 * SECOND;

/** Nothing is sent again when less than this is left of the request. */
export const SEND_AGAIN_BEFORE_END = 30 * SECOND;

/** Added to `deliverBy` before non-delivery is believed: a hello may take 10 s, so a clock may lag by as much. */
export const UNDELIVERED_AFTER_DELIVER_BY = 15 * SECOND;

/** Nothing heard for so long: a probe goes before anything else. */
export const PROBE_AFTER_SILENCE = 10 * SECOND;

/** How long the answer to a probe may take. */
export const PROBE_WAIT = 2 * SECOND;

/** A connection that ended less than this ago is waited for. */
export const RECONNECT_GRACE = 15 * SECOND;

/** A disconnect is noted in D1 so late, if the terminal has not come back. */
export const PRESENCE_DELAY = 15 * SECOND;

/** How long a connection's upgrade waits at most for D1 to note it. */
export const CONNECT_NOTE_WAIT = SECOND;

/** A note to D1 that failed is tried again after so long. */
export const NOTE_RETRY = 30 * SECOND;

/** How long an inquiry waits for the terminal's answer, and a cancel for its confirmation. */
export const ANSWER_WAIT = 10 * SECOND;

/** A terminal is asked about one transaction at most so often. */
export const ASK_EVERY = 5 * SECOND;

/** A connection says `hello` within so long, or is closed. */
export const HELLO_WITHIN = 10 * SECOND;

/** The terminal's heartbeat, in seconds, as `welcome` says it. */
export const HEARTBEAT_SECONDS = 30;

/** A terminal counts as connected while its last sign of life is younger: two heartbeats and a delay. */
export const CONNECTED_WITHIN = 70 * SECOND;

/** A frame's size, in bytes. */
export const FRAME_BYTES = 64 * 1024;

/** Bad frames on one connection before it is closed. */
export const BAD_FRAMES = 10;

/** Requests that a hello lists as open at most: years of them, for a terminal that has a few. */
export const OPEN_REQUESTS = 1_000;

/**
 * Frames that one connection may send on end, and at once: a transaction is ten or so within a minute, and after its
 * hello a terminal may send the result of everything that it listed. More is a fault or an attack, and is closed.
 */
export const FRAMES_PER_SECOND = 50;
export const FRAME_BURST = OPEN_REQUESTS + 200;

/** Connections of one terminal that have not said hello: with one more the oldest is closed. A terminal needs one. */
export const GREETINGS = 4;

/** So many takeovers of an open connection within so long are two machines with one identity, and are logged. */
export const CONTESTED_TAKEOVERS = 3;
export const CONTESTED_WITHIN = 10 * MINUTE;

/** Stages that one transaction keeps before further `progress` adds none: a row must stay far below SQLite's 2 MB. */
export const STAGES = 50;

/** Reports kept beside one transaction: the first ones tell what happened, thousands would only fill the object. */
export const KEPT_REPORTS = 100;

/** Transaction numbers that an object reserves at a time, and how few are left when it reserves the next. */
export const NUMBER_BLOCK = 100;
export const NUMBERS_LOW = 20;

/** The first transaction number: the lowest of ten digits. */
export const FIRST_TRANSACTION_NUMBER = 1_000_000_000;

/** A broken call to the object is made again after so long, in steps that double up to the last. */
export const RESUBMIT_FIRST_WAIT = 50;
export const RESUBMIT_LONGEST_WAIT = 2 * SECOND;

/** The Worker waits so much longer than the object's alarm, which ends a request at its end. */
export const WAITER_MARGIN = 5 * SECOND;

/** So long after a request's end the Worker stops to repeat a broken call: an inquiry's ten seconds fit in. */
export const REPLY_MARGIN = 15 * SECOND;

/** Objects asked at the same time for their state by a listing. */
export const STATUS_CONCURRENCY = 50;

/** A listing waits so long for an object; what does not answer by then counts as not connected. */
export const STATUS_WAIT = 5 * SECOND;

/** Tries to tell an object of a change that D1 already has. */
export const OBJECT_CALL_TRIES = 3;

/** Rows of one page of an operator's list. */
export const PAGE_ROWS = 100;

/** The rate limits' window, in seconds: after it, whoever was refused may try again. */
export const RETRY_AFTER_SECONDS = 60;

/** Accounts, and terminals, whose secrets one call re-encrypts at most: each terminal costs a call to its object. */
export const RESEAL_ROWS = 100;

/** Statements that the daily clean-up makes per table at most; what is left waits for the next day. */
export const CLEAN_UP_STATEMENTS = 100;

/**
 * Reference claims that one step of the daily walk looks at, and its steps: a year of a million payments a month within
 * five weeks. Should every claim be old, the whole clean-up still stays below D1's 1,000 queries per invocation.
 */
export const CLAIMS_WALK_ROWS = 10_000;
export const CLAIMS_WALK_STEPS = 40;

/**
 * The Worker's bundle, compressed: a tenth above what it is. The platform takes many times that; but every byte is parsed
 * when a Worker starts, on some customer's time, and a package that slips in shall be noticed.
 */
export const BUNDLE_BYTES = 150 * 1024;

// The reference clients.

/** A terminal comes back within so long after its first loss, and within the longest after many. */
export const TERMINAL_RECONNECT = { first: 10 * SECOND, longest: MINUTE };

/** A terminal whose place another one took waits so long, that two devices with one identity do not fight. */
export const REPLACED_WAIT = MINUTE;

/** A terminal's HTTP call to the gateway ends by then. */
export const TERMINAL_HTTP_WITHIN = 15 * SECOND;

/** A terminal's token is not used in its last seconds: it has to arrive, too. */
export const TERMINAL_TOKEN_MARGIN = 10 * SECOND;

/** A terminal whose steady and wall clock disagree by more has slept, or was set: it asks the gateway for the time. */
export const CLOCKS_DISAGREE = 2 * SECOND;

/** A handler that is stopped before it reached the host may take so long to say so itself. */
export const CANCEL_GRACE = SECOND;

/** A terminal that is asked about an open request may ask its host for so long before it answers 22. */
export const ASK_GRACE = 2 * SECOND;

/** A result's JSON text at a terminal: with frame and signature around it, well within a frame's size. */
export const RESULT_CHARACTERS = 16 * 1024;

/** A result whose signature the gateway did not take is signed anew and sent after so long, so many times. */
export const SIGN_ANEW_WAIT = 5 * SECOND;
export const SIGN_ANEW_TIMES = 5;

/** Waits between tries to clear up with the host after a restart, and to store what must not be lost. */
export const CLEAR_UP_AGAIN = { first: 5 * SECOND, longest: MINUTE };
export const MEMORY_AGAIN = { first: SECOND, longest: 10 * SECOND };

/** A browser's tab that was closed or loaded anew gives its lock on a terminal's memory back within so long. */
export const TAB_LEAVES_WITHIN = 3 * SECOND;

/** A POS renews its access token so long before it expires: requests take time to arrive, clocks differ. */
export const RENEW_BEFORE = 30 * SECOND;

/** Waits between repetitions of the same request by a POS. */
export const REPEAT_WAIT = { first: 500, longest: 10 * SECOND };

/** A POS that waits for a transfer says so as often: a clock on the screen that stands still looks broken. */
export const PROGRESS_EVERY = SECOND;

/** A POS takes a connection for dead after so long: the life of a request, the queue, and a margin. */
export const POS_HTTP_WITHIN = 2 * MINUTE;

/** A POS repeats a transfer for so long, unless it is told otherwise: two lives of a request. */
export const POS_TRANSFER_WITHIN = 3 * MINUTE;

/** A POS repeats everything else for so long: nobody waits longer for a list. */
export const POS_CALL_WITHIN = 30 * SECOND;

// The virtual terminal of the console.

/** What a step takes that nobody has to do anything in, such as reading the card: enough to be seen. */
export const VIRTUAL_TERMINAL_PACE = 700;

/** A virtual terminal whose line is back connects at once: it has no fleet behind it. */
export const VIRTUAL_TERMINAL_RECONNECT = { first: 200, longest: 5 * SECOND };

/** A virtual terminal that is signed out tells the gateway first that its payment has ended, if it can within so long. */
export const VIRTUAL_TERMINAL_LEAVES_WITHIN = 2 * SECOND;

/** Digits of a PIN (ISO 9564-1), and how often a card takes a wrong one. */
export const PIN_DIGITS = { fewest: 4, most: 12 };
export const PIN_TRIES = 3;

/** Lines that the virtual terminal's log keeps: an afternoon of trying things out. */
export const VIRTUAL_TERMINAL_LOG = 100;
