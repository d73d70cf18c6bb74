/**
 * How many passwords an isolate hashes. A hash takes some 300 ms of CPU and blocks everything else in the isolate,
 * payments included: few run at a time, few wait, and everybody else is asked to come back.
 *
 * The platform drops what a request was about to do when its caller hangs up or has its answer: timers, and whatever
 * waits for a promise. So no request frees a slot for another by a timer, and none hands its slot on: who waits looks
 * for himself, and what nobody looks after any more lapses. Else a few callers that hang up would shut the gate for good.
 */
import { err, ok, type Result } from "../result.ts";
import { SECOND } from "../time/units.ts";

/** Hashes that have begun. */
const AT_ONCE = 2;

/** Logins that wait for one of them to end. */
const WAITING = 4;

/** How long a slot stays empty after a hash, in milliseconds: what the hash held up goes first. */
const PAUSE = 100;

/** How often whoever waits looks for a slot, in milliseconds. */
const LOOK = 20;

/** After this a slot, or a place in the queue, counts as left: its request is gone. Two hashes block for far less. */
const LEFT = 10 * SECOND;

export class HashGate {
  /** Until when each slot is taken. Times are milliseconds of `performance.now()`. */
  #slots: { until: number }[] = [];
  /** Who waits, the longest first, and when each looked last. */
  #waiting: { looked: number }[] = [];

  /** Does the work when it is its turn; `busy` where too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<Result<T, "busy">> {
    const slot = await this.#enter();
    if (slot === null) return err("busy");
    try {
      return ok(await work());
    } finally {
      // The platform's clock stands still while code runs: without this the pause would be over before it begins.
      await scheduler.wait(1);
      slot.until = performance.now() + PAUSE;
    }
  }

  /** Null: too many wait. */
  async #enter(): Promise<{ until: number } | null> {
    const place = { looked: performance.now() };
    this.#forgetTheGone(place.looked);
    if (this.#waiting.length >= WAITING) return null;
    for (;;) {
      if (!this.#waiting.includes(place)) this.#waiting.push(place);
      place.looked = performance.now();
      this.#forgetTheGone(place.looked);
      if (this.#waiting[0] === place && this.#slots.length < AT_ONCE) {
        this.#waiting.shift();
        const slot = { until: place.looked + LEFT };
        this.#slots.push(slot);
        return slot;
      }
      await scheduler.wait(LOOK);
    }
  }

  #forgetTheGone(now: number): void {
    this.#slots = this.#slots.filter(({ until }) => until > now);
    this.#waiting = this.#waiting.filter(({ looked }) => looked + LEFT > now);
  }
}

/** The one of this isolate. */
export const hashGate: HashGate = new HashGate();
