/**
 * Notifies accounts' objects in the background: one call at a time per account, each with a timeout. A failed call is
 * retried without end, with growing pauses. No till or terminal waits for it, and the object's alarm resumes after a reset.
 *
 * The source knows what there is to report, and how durable that is. The pause is derived from the age of the oldest
 * report, so it also grows while the object sleeps and forgets.
 */
import type { AccountStub } from "../account/stub.ts";
import { log, logError } from "../log.ts";
import type { Turns } from "../objects/turns.ts";
import { within } from "../within.ts";
import { ACCOUNT_RETRY, ACCOUNT_RETRY_AT_MOST, ACCOUNT_SAFETY, ACCOUNT_WAIT } from "./limits.ts";

/** What waits to be reported to one account. */
export interface Waiting {
  /** Since when, epoch milliseconds. */
  since: number;
  /** Changes when there is something new. New reports are sent at once, even after a failure. */
  newest: number;
  /** The earliest time to report it, epoch milliseconds. */
  notBefore: number;
  /** There is an alarm that comes no later than this, epoch milliseconds; 0 if none is known. */
  alarmBy: number;
}

/** Applies the account's answer, within a turn. Returns false if it must be reported again. */
export type Conclusion = (now: number) => boolean;

export interface NotificationSource {
  /** For log lines. */
  readonly name: string;
  /** What waits now, by account. Called in every turn. */
  waiting(): ReadonlyMap<string, Waiting>;
  /** Reports to an account. Rejects if the call fails. */
  tell(account: AccountStub, posId: string, now: number): Promise<Conclusion>;
}

export interface AccountNotifierParts {
  source: NotificationSource;
  context: Pick<DurableObjectState, "waitUntil">;
  turns: Turns;
  /** An account's object; a new stub for every call. */
  account: (posId: string) => AccountStub;
}

interface Failure {
  newest: number;
  retryAt: number;
}

export class AccountNotifier {
  readonly #parts: AccountNotifierParts;
  readonly #flights = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, Failure>();

  constructor(parts: AccountNotifierParts) {
    this.#parts = parts;
  }

  /** Starts the reports that are due. Called at the end of every turn. */
  start(now: number): void {
    for (const [posId, waiting] of this.#parts.source.waiting()) {
      if (this.#flights.has(posId) || this.#dueAt(posId, waiting) > now) continue;
      const flight = this.#tell(posId, waiting, now);
      this.#flights.set(posId, flight);
      this.#parts.context.waitUntil(flight);
    }
  }

  /** Waits until no report is in progress, up to this many milliseconds. */
  async settleWithin(milliseconds: number): Promise<void> {
    const settled = async (): Promise<void> => {
      while (this.#flights.size > 0) await Promise.all(this.#flights.values());
    };
    await within(milliseconds, settled()).catch(() => undefined);
  }

  /**
   * When there is something to report, epoch milliseconds, always later than `now`; null: nothing waits, or an existing
   * alarm is early enough.
   */
  nextDeadline(now: number): number | null {
    let earliest: number | null = null;
    for (const [posId, waiting] of this.#parts.source.waiting()) {
      const isTold = this.#flights.has(posId);
      // An instance that has just started does not know its alarm, and would only move it.
      if (isTold && waiting.alarmBy > now) continue;
      const at = isTold ? now + ACCOUNT_SAFETY : this.#dueAt(posId, waiting);
      earliest = Math.min(earliest ?? Infinity, Math.max(at, now + 1));
    }
    return earliest;
  }

  #dueAt(posId: string, { newest, notBefore }: Waiting): number {
    const failure = this.#failures.get(posId);
    return failure === undefined || failure.newest !== newest ? notBefore : Math.max(notBefore, failure.retryAt);
  }

  async #tell(posId: string, { since, newest }: Waiting, now: number): Promise<void> {
    const { source, turns, account } = this.#parts;
    let conclude: Conclusion | null = null;
    try {
      conclude = await within(ACCOUNT_WAIT, source.tell(account(posId), posId, now));
    } catch (error) {
      log("warning", `${source.name}-not-told`, { account: posId, detail: String(error) });
    }
    try {
      // What was recorded is marked on the connection: mostly, no row changes.
      turns.takeLightly((after) => {
        this.#flights.delete(posId);
        this.#failures.set(posId, { newest, retryAt: after + retryPause(after - since) });
        if (conclude?.(after) === true) this.#failures.delete(posId);
      });
    } catch (error) {
      // The account gets the same report again, which changes nothing there.
      logError(`${source.name}-not-concluded`, error, { account: posId });
    }
  }
}

/** The pause before another attempt, given the age of the report; both in milliseconds. */
export function retryPause(age: number): number {
  return Math.min(ACCOUNT_RETRY_AT_MOST, Math.max(ACCOUNT_RETRY, age));
}
