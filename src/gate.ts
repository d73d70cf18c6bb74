/**
 * Limits how much of one kind of work an isolate does at a time: some runs, some waits, the rest is refused.
 *
 * When a caller hangs up or has its answer, the platform cancels its request's timers and everything that waits for a
 * promise. So no request frees a slot for another by a timer, and none passes its slot on: each waiting request polls, and
 * an entry that is no longer polled expires. Otherwise a few callers that hang up would close the gate permanently.
 */
import { err, ok, type Result } from "./result.ts";

/** Times are in milliseconds. */
export interface GateLimits {
  /** How much work may run at once. */
  atOnce: number;
  /** How much work may wait. */
  waiting: number;
  /** The longest wait. */
  longestWait: number;
  /** How often the first waiting request polls for a slot. Later ones poll less often, by their position. */
  pollInterval: number;
  /** After this time without activity, a slot or a position in the queue counts as abandoned: its request is gone. */
  abandonedAfter: number;
}

/** Times are milliseconds of `performance.now()`. */
interface Place {
  came: number;
  /** When its request was last active. */
  seen: number;
}

export class Gate {
  readonly #limits: GateLimits;
  #running: Place[] = [];
  /** The longest waiting first. */
  #waiting: Place[] = [];

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /** Whether work that came now would be refused at once. */
  get isFull(): boolean {
    this.#dropAbandoned(performance.now());
    return this.#waiting.length >= this.#limits.waiting;
  }

  /**
   * Runs the work when it is its turn; `busy` if too many wait already, or it waited too long.
   *
   * @param work must call `goesOn` more often than its slot expires, if it may take longer
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

  /** False: too many wait, or the wait was too long. */
  async #enter(place: Place): Promise<boolean> {
    const { atOnce, longestWait, pollInterval } = this.#limits;
    if (this.isFull) return false;
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
