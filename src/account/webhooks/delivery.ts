/**
 * Decisions about deliveries: when an event is sent to an endpoint, and what its answer means. Events stay in order and
 * none is dropped (I7): an endpoint gets the next event only after it has taken the one before.
 */
import { ATTEMPTS_SHOWN, GIVE_UP_AFTER, RETRY_EVERY, RETRY_SCHEDULE } from "../../protocol/limits/webhooks.ts";
import type { Endpoint, Progress } from "../storage/webhooks.ts";

/** What was sent to an endpoint, and the endpoint's state at that time. */
export interface Sent {
  generation: number;
  /** The endpoint's cursor when it was sent. */
  cursor: number;
  /** The event's number. */
  number: number;
  /** Epoch milliseconds. */
  at: number;
}

/** status null: no answer in time. */
export interface Answered {
  status: number | null;
  milliseconds: number;
}

/**
 * When the next event is due, epoch milliseconds, possibly in the past; null: there is none, or the endpoint is disabled.
 *
 * @param newest the number of the account's newest event
 */
export function dueAt(endpoint: Endpoint, newest: number): number | null {
  if (endpoint.disabledBy !== null || endpoint.cursor >= newest) return null;
  return endpoint.retryAt ?? 0;
}

/**
 * `stale`: the endpoint has changed meanwhile, so the answer says nothing about it. `given-up`: the endpoint gets nothing
 * more until someone enables it.
 */
export type Verdict = { kind: "stale" } | { kind: "taken" | "failed" | "given-up"; endpoint: Endpoint };

/** @param now when the answer came, epoch milliseconds */
export function judgeAnswer(endpoint: Endpoint | null, sent: Sent, answered: Answered, now: number): Verdict {
  if (endpoint === null || endpoint.generation !== sent.generation || endpoint.cursor !== sent.cursor) {
    return { kind: "stale" };
  }
  const attempt = { number: sent.number, at: sent.at, ...answered };
  const attempts = [attempt, ...endpoint.attempts].slice(0, ATTEMPTS_SHOWN);
  const { status } = answered;
  if (status !== null && status >= 200 && status < 300) {
    // The events in between were pruned before the endpoint took them.
    const skipped = endpoint.skipped + sent.number - sent.cursor - 1;
    return { kind: "taken", endpoint: { ...endpoint, ...NOT_FAILING, attempts, skipped, cursor: sent.number } };
  }
  const failures = endpoint.failures + 1;
  const failingSince = endpoint.failingSince ?? sent.at;
  const failed = { ...endpoint, attempts, failures, failingSince };
  // "Gone": the receiver wants no more events (Standard Webhooks 1.0, "Delivery success and failure").
  if (status === 410) return { kind: "given-up", endpoint: disabled(failed, "gone", now) };
  if (now - failingSince >= GIVE_UP_AFTER) return { kind: "given-up", endpoint: disabled(failed, "failing", now) };
  return { kind: "failed", endpoint: { ...failed, retryAt: now + (RETRY_SCHEDULE[failures - 1] ?? RETRY_EVERY) } };
}

/** The schedule of an endpoint that has not failed. */
export const NOT_FAILING = { failures: 0, failingSince: null, retryAt: null } satisfies Partial<Progress>;

/**
 * The endpoint after a change: an answer to an earlier attempt no longer counts, and the next event is sent at once.
 */
export function restarted(endpoint: Endpoint): Endpoint {
  return { ...changed(endpoint), ...NOT_FAILING };
}

/** The endpoint after a change that does not make it more likely to answer. */
export function changed(endpoint: Endpoint): Endpoint {
  return { ...endpoint, generation: endpoint.generation + 1 };
}

/** The endpoint gets nothing more. Its cursor stays. */
export function disabled(endpoint: Endpoint, by: NonNullable<Endpoint["disabledBy"]>, now: number): Endpoint {
  return { ...changed(endpoint), ...NOT_FAILING, disabledBy: by, disabledAt: now };
}
