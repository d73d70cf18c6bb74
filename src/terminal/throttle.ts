/**
 * How often a terminal, or a device with its identity, may do something on its connections. Pure; times in epoch
 * milliseconds.
 */
import { CONTESTED_TAKEOVERS, CONTESTED_WITHIN } from "./limits.ts";
import { FRAME_BURST, FRAMES_PER_SECOND } from "../protocol/limits/connections.ts";

/** A token bucket (ITU-T I.371, annex A), stored in the connection's attachment so that sleep does not refill it. */
export interface Allowance {
  /** How many frames may arrive at once. */
  frames: number;
  /** The time of that value. */
  at: number;
}

/** Of a new connection. */
export function fullAllowance(now: number): Allowance {
  return { frames: FRAME_BURST, at: now };
}

/** What is left after one more frame at `now`; null: the frame is one too many. */
export function takeFrame({ frames, at }: Allowance, now: number): Allowance | null {
  // A clock that was set back neither adds nor removes anything.
  const refilled = Math.min(FRAME_BURST, frames + (Math.max(0, now - at) / 1_000) * FRAMES_PER_SECOND);
  return refilled < 1 ? null : { frames: refilled - 1, at: now };
}

/**
 * When open connections of a terminal were taken over by another connection's hello, newest last, without old ones. Each
 * connection passes it on to the one that takes over, in its attachment.
 */
export function withTakeover(takeovers: readonly number[], now: number): number[] {
  const recent = takeovers.filter((at) => now - at < CONTESTED_WITHIN);
  return [...recent, now].slice(-CONTESTED_TAKEOVERS);
}

/**
 * Whether two devices seem to compete for one identity. A terminal that reconnects after a fault takes over its own old
 * connection once; two devices take over from each other again and again.
 */
export function isContested(takeovers: readonly number[]): boolean {
  return takeovers.length >= CONTESTED_TAKEOVERS;
}
