import { REPEAT_WAIT } from "../../limits.ts";
import { halfJitter, sleep } from "../backoff.ts";
import { PosError } from "./error.ts";
import type { PosProblem } from "./error.ts";

/** What one try came to. */
export type Try<T> =
  | { kind: "done"; value: T }
  /** An answer that may still change: a 22. */
  | { kind: "pending"; value: T }
  /** `taken`: the message may have been carried out. */
  | { kind: "failed"; problem: PosProblem; taken: boolean }
  | { kind: "unavailable"; problem: PosProblem; taken: boolean; retryAfter: number };

export interface RepeatOptions {
  /** Milliseconds for all tries together. */
  within: number;
  signal: AbortSignal | undefined;
  now: () => number;
  random: () => number;
}

/**
 * Tries until there is something final, the time is over or the caller stops it. Waits between tries grow and are
 * spread. When the time is over, the last pending answer counts; without one, the last problem is thrown.
 *
 * `attempt` gets the milliseconds that are left.
 */
export async function repeat<T>(attempt: (left: number) => Promise<Try<T>>, options: RepeatOptions): Promise<T> {
  const { within, signal, now, random } = options;
  const end = now() + within;
  let pending: { value: T } | null = null;
  let maybeTaken = false;
  for (let tries = 0; ; tries++) {
    if (signal?.aborted) throw new PosError({ kind: "aborted", message: "Stopped by the caller." }, maybeTaken);
    const made = await attempt(end - now());
    if (made.kind === "done") return made.value;
    if (made.kind === "pending") {
      pending = { value: made.value };
      maybeTaken = true;
    } else {
      maybeTaken ||= made.taken;
      // A refusal is about this very message. It says nothing about an earlier one that may be at work.
      if (made.kind === "failed" || signal?.aborted) throw new PosError(made.problem, maybeTaken);
    }
    const asked = made.kind === "unavailable" ? made.retryAfter : 0;
    const wait = Math.max(asked, halfJitter(tries, REPEAT_WAIT, random));
    if (now() + wait >= end) {
      if (pending !== null) return pending.value;
      if (made.kind === "unavailable") throw new PosError(made.problem, maybeTaken);
    }
    await sleep(wait, signal);
  }
}
