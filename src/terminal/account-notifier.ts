/**
 * What accounts' objects are told in the background. One call at a time per account, each bounded; what failed is retried
 * without end, after a pause that grows. Nothing that a till or a terminal waits for waits for it, and the object's alarm
 * makes up for an object that was reset in between.
 *
 * What there is to tell is the source's to know, and as durable as it makes it. The pause follows from how long that has
 * been waiting, so that it grows also where the object sleeps in between, and forgets.
 */
import type { AccountStub } from "../account/stub.ts";
import { log, logError } from "../log.ts";
import type { Turns } from "../objects/turns.ts";
import { within } from "../within.ts";
import { ACCOUNT_RETRY, ACCOUNT_RETRY_AT_MOST, ACCOUNT_SAFETY, ACCOUNT_WAIT } from "./limits.ts";

/** What waits for one account. */
export interface Waiting {
  /** Since when, epoch milliseconds. */
  since: number;
  /** Differs once something new waits, which is told at once whatever failed before. */
  newest: number;
  /** When it may be told at the earliest, epoch milliseconds. */
  notBefore: number;
  /** An alarm is set anyway, and comes no later than this: epoch milliseconds, 0 where none is known of. */
  alarmBy: number;
}

/** In a turn: what the account's answer does. Returns false where it has to be told again. */
export type Conclusion = (now: number) => boolean;

export interface NotificationSource {
  /** For log lines. */
  readonly name: string;
  /** What waits now, by account. Called with every turn. */
  waiting(): ReadonlyMap<string, Waiting>;
  /** Tells an account. Rejects where the call fails. */
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

  /** Starts to tell what is due; called at the end of every turn. */
  start(now: number): void {
    for (const [posId, waiting] of this.#parts.source.waiting()) {
      if (this.#flights.has(posId) || this.#dueAt(posId, waiting) > now) continue;
      const flight = this.#tell(posId, waiting, now);
      this.#flights.set(posId, flight);
      this.#parts.context.waitUntil(flight);
    }
  }

  /** Waits until nothing is being told any more, but no longer than that. */
  async settleWithin(milliseconds: number): Promise<void> {
    const settled = async (): Promise<void> => {
      while (this.#flights.size > 0) await Promise.all(this.#flights.values());
    };
    await within(milliseconds, settled()).catch(() => undefined);
  }

  /**
   * When there is something to tell, epoch milliseconds; null: nothing waits, or an alarm that is set anyway will do.
   * Always later than `now`.
   */
  nextDeadline(now: number): number | null {
    let earliest: number | null = null;
    for (const [posId, waiting] of this.#parts.source.waiting()) {
      const isTold = this.#flights.has(posId);
      // An instance that has just woken does not know its alarm, and would only move it.
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
      turns.take((after) => {
        this.#flights.delete(posId);
        this.#failures.set(posId, { newest, retryAt: after + retryPause(after - since) });
        if (conclude?.(after) === true) this.#failures.delete(posId);
      });
    } catch (error) {
      // The account is told again, which changes nothing there.
      logError(`${source.name}-not-concluded`, error, { account: posId });
    }
  }
}

/** The pause before something is tried again that has been waiting for so long, both in milliseconds. */
export function retryPause(age: number): number {
  return Math.min(ACCOUNT_RETRY_AT_MOST, Math.max(ACCOUNT_RETRY, age));
}
