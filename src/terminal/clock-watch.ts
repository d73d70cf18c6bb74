/**
 * Every waiter ticks. A deadline that is near seldom needs an alarm, which costs as much as a row: the Worker of a POS
 * that waits is asked to send a word then. That word says nothing but "look at the clock", so one that comes early, late,
 * twice or never changes no outcome (I2). The object's alarm stays for the deadlines that are far, and for the near ones
 * while nobody who waits would tick: a Worker that goes is missed when its socket ends.
 */
import type { Connections } from "./connections.ts";
import { TICKER_EXPECTED } from "./limits.ts";

export interface ClockWatchParts {
  connections: Pick<Connections, "askForTick" | "tickers">;
  /** Whether a transaction goes on, so that its waiters go on waiting. */
  goesOn: (requestId: number) => boolean;
  /** A turn that looks at the clock. */
  look: () => void;
}

export class ClockWatch {
  readonly #parts: ClockWatchParts;
  /** Workers that were told to wait, and have not opened their sockets yet. */
  #expected = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: ClockWatchParts) {
    this.#parts = parts;
  }

  /**
   * When a Worker that begins to wait for a transaction is to tick, epoch milliseconds; null: not before it is asked to.
   *
   * @param deadline what is near, epoch milliseconds; null: nothing is
   */
  firstTick(requestId: number, deadline: number | null, now: number): number | null {
    if (deadline === null || deadline <= now || !this.#parts.goesOn(requestId)) return null;
    return this.keeps(deadline, now) ? null : deadline;
  }

  /** A Worker is told to wait, and opens its socket in a moment; unless it dies before. */
  expect(): void {
    this.#expected++;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#expected = 0;
      this.#parts.look();
    }, TICKER_EXPECTED);
  }

  /** A waiting socket has been opened. */
  opened(): void {
    if (this.#expected > 0) this.#expected--;
    if (this.#expected > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Whether somebody looks at the clock when the deadline has come. Times are epoch milliseconds. */
  keeps(deadline: number, now: number): boolean {
    return this.#expected > 0 || this.#tickers().some(({ tickAt }) => isPromise(tickAt, now) && tickAt <= deadline);
  }

  /**
   * Asks one of those who wait to tick, where nobody keeps the deadline. One that did not tick in time is not asked again;
   * nor is anybody for what is over, which is the alarm's.
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
