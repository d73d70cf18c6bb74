/** The gateway and the terminal both observe these limits. Times are in milliseconds unless the name says otherwise. */
import { SECOND, MINUTE } from "../time/units.ts";

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

/** From `ping` to `pong`, in addition to the time from `welcome` to `hello`. */
export const PROBE_WAIT = 2 * SECOND;

/** The same with that time. A POS that waits for the terminal has ten seconds. */
export const PROBE_WAIT_AT_MOST = 5 * SECOND;

export const FRAME_BYTES = 64 * 1024;

/** The gateway then closes the connection. */
export const BAD_FRAMES = 10;

/** The most requests that a `hello` may list as open. */
export const OPEN_REQUESTS = 1_000;

/** A frame counts once for each such part of it that is begun, because its cost grows with its length. */
export const COUNTED_BYTES = 1_024;

/**
 * Continuously, of a terminal. A transaction takes about ten within a minute; more than this is a fault or an attack.
 */
export const FRAMES_PER_SECOND = 50;

/** At once, of a terminal: after `hello`, the result of every listed request. */
export const FRAME_BURST = OPEN_REQUESTS + 200;

/** Before `hello`, on each connection: one of the longest, and a few more. Nothing but a hello is of use. */
export const FRAMES_BEFORE_HELLO = 80;

/** Connections of one terminal that have not sent `hello`. One more closes the oldest; a terminal needs one. */
export const UNCONFIRMED_CONNECTIONS = 4;

/** A replaced terminal (4001) waits this long, so that two devices with one identity do not keep disconnecting each other. */
export const REPLACED_WAIT = MINUTE;

/** How long a terminal waits after `bad_signature` before it signs the result again and sends it. */
export const SIGNATURE_RETRY_WAIT = 5 * SECOND;

/** Per result. */
export const SIGNATURE_RETRIES = 5;
