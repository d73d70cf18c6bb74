/**
 * Every waiter ticks. A near deadline rarely needs an alarm, which costs as much as a row: the Worker of a waiting till is
 * asked to send a message at that time. The message only means "check the time", so one that comes early, late, twice or
 * never changes no outcome (I2). The object's alarm remains for far deadlines, and for near ones if no waiter would tick: a
 * Worker that disconnects is noticed when its socket ends.
 */
import type { Connections } from "./connections.ts";

export interface ClockWatchParts {
  connections: Pick<Connections, "askForTick" | "tickers">;
  /** Whether a transaction is in progress, so that its waiters keep waiting. */
  goesOn: (requestId: number) => boolean;
}

export class ClockWatch {
  readonly #parts: ClockWatchParts;

  constructor(parts: ClockWatchParts) {
    this.#parts = parts;
  }

  /**
   * When a Worker that starts to wait for a transaction should tick, epoch milliseconds; null: not until it is asked.
   *
   * @param deadline the near deadline, epoch milliseconds; null if there is none
   */
  firstTick(requestId: number, deadline: number | null, now: number): number | null {
    if (deadline === null || deadline <= now || !this.#parts.goesOn(requestId)) return null;
    return this.keeps(deadline, now) ? null : deadline;
  }

  /** Whether a waiter checks the time when the deadline has come. Times are epoch milliseconds. */
  keeps(deadline: number, now: number): boolean {
    return this.#tickers().some(({ tickAt }) => isPromise(tickAt, now) && tickAt <= deadline);
  }

  /**
   * Asks a waiter to tick, if none does for this deadline. A waiter that did not tick in time is not asked again. Past
   * deadlines are left to the alarm.
   */
  ask(deadline: number, now: number): void {
    if (deadline <= now || this.keeps(deadline, now)) return;
    const asked = this.#tickers().findLast(({ tickAt }) => tickAt === null || isPromise(tickAt, now));
    if (asked !== undefined) this.#parts.connections.askForTick(asked.socket, deadline, now);
  }

  #tickers() {
    const { connections, goesOn } = this.#parts;
    return connections.tickers().filter(({ requestId }) => goesOn(requestId));
  }
}

function isPromise(tickAt: number | null, now: number): tickAt is number {
  return tickAt !== null && tickAt > now;
}
