/**
 * How much of one kind of work an isolate does at a time: some of it runs, some waits its turn, the rest is refused.
 *
 * The platform drops what a request was about to do when its caller hangs up or has its answer: timers, and whatever
 * waits for a promise. So no request frees a slot for another by a timer, and none hands its slot on: who waits looks
 * for himself, and what nobody looks after any more lapses. Else a few callers that hang up would close the gate permanently.
 */
import { err, ok, type Result } from "./result.ts";

/** Times are in milliseconds. */
export interface GateLimits {
  /** Works that have begun. */
  atOnce: number;
  /** Works that wait for one of them to end. */
  waiting: number;
  /** How long work waits for its turn at most. */
  longestWait: number;
  /** How often the first that waits looks for a slot; those behind it look less often, by their place. */
  pollInterval: number;
  /** After this a slot that did not go on, or a place in the queue, counts as abandoned: its request is gone. */
  abandonedAfter: number;
}

/** Times are milliseconds of `performance.now()`. */
interface Place {
  came: number;
  /** When its request was last there. */
  seen: number;
}

export class Gate {
  readonly #limits: GateLimits;
  #running: Place[] = [];
  /** The longest first. */
  #waiting: Place[] = [];

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /**
   * Does the work when it is its turn; `busy` where too many wait already, or it waited too long.
   *
   * @param work is to call `goesOn` more often than its slot lapses, where it may take longer
   */
  async run<T>(work: (goesOn: () => void) => Promise<T>): Promise<Result<T, "busy">> {
    const place = { came: performance.now(), seen: performance.now() };
    if (!(await this.#enter(place))) return err("busy");
    try {
      return ok(await work(() => (place.seen = performance.now())));
    } finally {
      this.#running = this.#running.filter((other) => other !== place);
    }
  }

  /** False: too many wait, or it was too long. */
  async #enter(place: Place): Promise<boolean> {
    const { atOnce, waiting, longestWait, pollInterval } = this.#limits;
    this.#dropAbandoned(place.seen);
    if (this.#waiting.length >= waiting) return false;
    for (;;) {
      if (!this.#waiting.includes(place)) this.#waiting.push(place);
      place.seen = performance.now();
      this.#dropAbandoned(place.seen);
      if (this.#waiting[0] === place && this.#running.length < atOnce) {
        this.#waiting.shift();
        this.#running.push(place);
        return true;
      }
      if (place.seen - place.came > longestWait) {
        this.#waiting = this.#waiting.filter((other) => other !== place);
        return false;
      }
      await scheduler.wait(pollInterval * Math.ceil((this.#waiting.indexOf(place) + 1) / atOnce));
    }
  }

  #dropAbandoned(now: number): void {
    const isThere = ({ seen }: Place): boolean => seen + this.#limits.abandonedAfter > now;
    this.#running = this.#running.filter(isThere);
    this.#waiting = this.#waiting.filter(isThere);
  }
}
