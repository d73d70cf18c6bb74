/**
 * Decisions on deliveries: when an event is sent to an endpoint, and what its answer means. In order, and nothing dropped
 * (I7): an endpoint gets one event at a time, and the next only once it has taken that one.
 */
import { ATTEMPTS_SHOWN, GIVE_UP_AFTER, RETRY_EVERY, RETRY_SCHEDULE } from "../../protocol/limits/webhooks.ts";
import type { Endpoint, Progress } from "../storage/webhooks.ts";

/** What was sent to an endpoint, and as what the endpoint stood then. */
export interface Sent {
  generation: number;
  /** The cursor behind which it was sent. */
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
 * When the next event is due, epoch milliseconds, which may be long ago; null: there is none, or the endpoint is disabled.
 *
 * @param newest the number of the account's newest event
 */
export function dueAt(endpoint: Endpoint, newest: number): number | null {
  if (endpoint.disabledBy !== null || endpoint.cursor >= newest) return null;
  return endpoint.retryAt ?? 0;
}

/**
 * `stale`: the endpoint was changed meanwhile, and the answer says nothing about it as it is now. `given-up`: the endpoint
 * gets nothing more until somebody enables it.
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
    // What lies between was pruned before the endpoint could take it.
    const skipped = endpoint.skipped + sent.number - sent.cursor - 1;
    return { kind: "taken", endpoint: { ...endpoint, ...NOT_FAILING, attempts, skipped, cursor: sent.number } };
  }
  const failures = endpoint.failures + 1;
  const failingSince = endpoint.failingSince ?? sent.at;
  const failed = { ...endpoint, attempts, failures, failingSince };
  // "Gone": the receiver wants nothing more (Standard Webhooks 1.0, "Delivery success and failure").
  if (status === 410) return { kind: "given-up", endpoint: disabled(failed, "gone") };
  if (now - failingSince >= GIVE_UP_AFTER) return { kind: "given-up", endpoint: disabled(failed, "failing") };
  return { kind: "failed", endpoint: { ...failed, retryAt: now + (RETRY_SCHEDULE[failures - 1] ?? RETRY_EVERY) } };
}

const NOT_FAILING = { failures: 0, failingSince: null, retryAt: null } satisfies Partial<Progress>;

/** The endpoint once it is changed: what is in flight counts no more, and what it has not taken is sent at once. */
export function restarted(endpoint: Endpoint): Endpoint {
  return { ...changed(endpoint), ...NOT_FAILING };
}

/** The endpoint once it is changed, in a way that does not make it likelier to answer. */
export function changed(endpoint: Endpoint): Endpoint {
  return { ...endpoint, generation: endpoint.generation + 1 };
}

/** The endpoint gets nothing more. Its cursor stays. */
export function disabled(endpoint: Endpoint, by: NonNullable<Endpoint["disabledBy"]>): Endpoint {
  return { ...changed(endpoint), ...NOT_FAILING, disabledBy: by };
}
