import { sleep } from "../backoff.ts";
import {
  DURATION,
  func,
  wholeNumberOption,
  optionalOption,
  SIGNAL,
  type Check,
  type Checks,
} from "../check-options.ts";
import type { AccountEvent } from "../../../protocol/events.ts";
import { EVENTS_PAGE, EVENTS_WAIT } from "../../../protocol/limits.ts";
import { PosError, type PosProblem } from "./error.ts";
import { parseMembers, withQuery, type HttpCall, type HttpOutcome } from "./http.ts";
import type { Setup } from "./options.ts";
import { waitBefore } from "./repeat.ts";
import { SECOND, type Milliseconds } from "../../../protocol/time/units.ts";

/** For one call that waits for an event: the longest wait, and a margin. */
const EVENTS_HTTP_WITHIN = 90 * SECOND;

/** Minimum from one answer with events to the next call: in a rush, several events come at a time. */
const EVENTS_PACE = SECOND / 4;

/**
 * Minimum from one answer without events to the next call. A gateway that can wait holds its answer back for longer.
 */
const EMPTY_EVENTS_PACE = 5 * SECOND;

export interface EventsOptions {
  /**
   * The number of the last event that you have processed; 0: every event that is kept. Without it: only future events.
   */
  after?: number | undefined;
  /** If false, the iteration ends when there are no more events. Otherwise it waits for the next one. */
  follow?: boolean | undefined;
  /**
   * The iteration throws after so long without an answer from the gateway. Without it, it never does. An answer held
   * back until there is an event counts as none for a minute and a half.
   */
  within?: Milliseconds | undefined;
  /** Ends the iteration, even while it waits. */
  signal?: AbortSignal | undefined;
  /**
   * Is called with the reason when no events arrive, and with null when they arrive again. The iteration continues by
   * itself.
   */
  onProblem?: ((problem: PosProblem | null) => void) | undefined;
  /**
   * Is called before a page with missing events: the gateway deleted them after 400 days, before this reader asked for
   * them. `skipped` says how many.
   */
  onSkipped?: ((skipped: number) => void) | undefined;
}

const SWITCH: Check = (value) => (typeof value === "boolean" ? null : "is not a boolean. Pass true or false.");

export const EVENTS_OPTIONS: Checks<EventsOptions> = {
  after: optionalOption(wholeNumberOption("the number of an event, or 0")),
  follow: optionalOption(SWITCH),
  within: optionalOption(DURATION),
  signal: optionalOption(SIGNAL),
  onProblem: optionalOption(func("a function that gets the problem, or omit it")),
  onSkipped: optionalOption(func("a function that gets the count, or omit it")),
};

export interface Following extends Pick<Setup, "random"> {
  /** Makes a call with a valid token. It never throws. */
  exchange: (call: HttpCall) => Promise<HttpOutcome>;
}

interface Page {
  data: AccountEvent[];
  next: number;
  /** How many numbers up to `next` are missing. */
  skipped: number;
  /** The time by the monotonic clock. */
  askedAt: number;
}

/** An iterator that can be stopped while it waits. */
export function followEvents(following: Following, options: EventsOptions): AsyncIterableIterator<AccountEvent> {
  const stopped = new AbortController();
  const signal = options.signal === undefined ? stopped.signal : AbortSignal.any([options.signal, stopped.signal]);
  const events = pages(following, options, signal);
  return {
    next: () => events.next(),
    return: () => {
      stopped.abort();
      return events.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * I7: asks for the events after the last one passed on. A lost answer is requested again, and a repeated event is
 * skipped.
 */
async function* pages(
  following: Following,
  options: EventsOptions,
  signal: AbortSignal,
): AsyncGenerator<AccountEvent, undefined> {
  const { after, follow = true, within = Infinity, onSkipped } = options;
  let read = after ?? null;
  let until = performance.now() + within;
  while (!signal.aborted) {
    const page = await nextPage(following, { ...options, follow, signal }, read, until);
    if (page === null) return undefined;
    until = performance.now() + within;
    const isFirst = read === null;
    read ??= page.next;
    if (page.skipped > 0) onSkipped?.(page.skipped);
    for (const event of page.data) {
      if (event.number <= read) continue;
      read = event.number;
      yield event;
    }
    if (page.data.length === 0 && !follow) return undefined;
    if (!isFirst) await sleep(paceAfter(page) - (performance.now() - page.askedAt), signal);
  }
  return undefined;
}

/** Asks again while the gateway does not answer, at most until `until` of the monotonic clock. Returns null when stopped. */
async function nextPage(
  { exchange, random }: Following,
  { follow, signal, onProblem }: EventsOptions & { signal: AbortSignal },
  read: number | null,
  until: number,
): Promise<Page | null> {
  for (let failures = 0; !signal.aborted; failures++) {
    const askedAt = performance.now();
    const path = withQuery("/api/events", { after: read ?? undefined });
    const outcome = await exchange({ method: "GET", path, isAnswer, signal, ...timeLimit(follow, until - askedAt) });
    if (signal.aborted) return null;
    if (outcome.kind === "refused") throw new PosError(outcome.problem, false);
    if (outcome.kind === "answer") {
      if (failures > 0) onProblem?.(null);
      return { ...parsePage(outcome.body), askedAt };
    }
    const wait = waitBefore(failures, outcome.retryAfter, random);
    if (performance.now() + wait >= until) throw new PosError(outcome.problem, false, outcome.cause);
    onProblem?.(outcome.problem);
    await sleep(wait, signal);
  }
  return null;
}

/** The gateway holds back the answer to a reader that follows. */
function timeLimit(follow: boolean | undefined, left: number): Pick<HttpCall, "within" | "prefer"> {
  if (follow) return { within: EVENTS_HTTP_WITHIN, prefer: `wait=${EVENTS_WAIT / 1_000}` };
  return { within: Math.min(EVENTS_HTTP_WITHIN, Math.max(0, left)) };
}

/** Returns the shortest pause between two calls, so that frequent events are fetched several at a time. */
function paceAfter({ data }: Page): Milliseconds {
  if (data.length === 0) return EMPTY_EVENTS_PACE;
  return data.length < EVENTS_PAGE ? EVENTS_PACE : 0;
}

function parsePage(body: Uint8Array<ArrayBuffer>): Omit<Page, "askedAt"> {
  const { data, next, skipped = 0 } = (parseMembers(body) ?? {}) as Partial<Page>;
  return { data: data ?? [], next: next ?? 0, skipped };
}

function isAnswer(body: Uint8Array<ArrayBuffer>): boolean {
  const { data, next, skipped = 0 } = parseMembers(body) ?? {};
  return Array.isArray(data) && data.every(isEvent) && typeof next === "number" && typeof skipped === "number";
}

/** Also accepts events of a type that this client does not know. */
function isEvent(value: unknown): value is AccountEvent {
  if (typeof value !== "object" || value === null || !("number" in value) || !("type" in value)) return false;
  return Number.isSafeInteger(value.number) && typeof value.type === "string" && "data" in value;
}
