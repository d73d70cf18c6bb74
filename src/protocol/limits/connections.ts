/**
 * Limits of a terminal's connection that the gateway and the terminal both observe. Times are in milliseconds unless the
 * name says otherwise.
 */
import { SECOND, MINUTE } from "../../time/units.ts";

/** The gateway closes a connection that has not sent `hello` within this time. */
export const HELLO_WITHIN = 10 * SECOND;

/** The terminal's heartbeat interval in seconds, as `welcome` announces it. */
export const HEARTBEAT_SECONDS = 30;

/** A terminal counts as connected while its last activity is younger than this: two heartbeats and a delay. */
export const CONNECTED_WITHIN = 70 * SECOND;

/** How long a terminal may take to answer the gateway's `ping`. */
export const PROBE_WAIT = 2 * SECOND;

/** The largest frame in bytes. */
export const FRAME_BYTES = 64 * 1024;

/** The gateway closes a connection after this many bad frames. */
export const BAD_FRAMES = 10;

/** The most requests that a `hello` may list as open. */
export const OPEN_REQUESTS = 1_000;

/**
 * Frames per second that one connection may send continuously. A transaction takes about ten within a minute; more than
 * this is a fault or an attack.
 */
export const FRAMES_PER_SECOND = 50;

/** Frames that one connection may send at once: after `hello`, the result of every listed request. */
export const FRAME_BURST = OPEN_REQUESTS + 200;

/** The most connections of one terminal that have not sent `hello`. One more closes the oldest; a terminal needs one. */
export const UNCONFIRMED_CONNECTIONS = 4;

/** A replaced terminal (4001) waits this long, so that two devices with one identity do not keep disconnecting each other. */
export const REPLACED_WAIT = MINUTE;

/** After `bad_signature` a terminal signs the result again and sends it after this wait. */
export const SIGNATURE_RETRY_WAIT = 5 * SECOND;

/** How often a terminal does so for one result. */
export const SIGNATURE_RETRIES = 5;
