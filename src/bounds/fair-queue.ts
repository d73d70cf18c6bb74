/**
 * Limits how much of one kind of work an isolate does, and shares it fairly between addresses: each gets its turn,
 * however much others send. A full queue drops the last entry of the address with the most entries.
 *
 * When a caller hangs up or has its answer, the platform cancels its request's timers and everything that waits for a
 * promise. So no request frees a slot for another by a timer, and none passes its slot on: each waiting request polls,
 * and an entry that is no longer polled expires. Otherwise a few callers that hang up would close the queue
 * permanently.
 */
import { err, ok, type Result } from "../outcomes/result.ts";

/** Times are in milliseconds. */
export interface QueueLimits {
  /** The maximum running at once. */
  atOnce: number;
  /** The shortest time between two starts. */
  apart: number;
  /** The maximum waiting. */
  waiting: number;
  /** A slot or a place in the queue without activity for this long is abandoned: its request is gone. */
  abandonedAfter: number;
}

export interface Caller {
  address: string;
  /** The account or terminal that the caller claims to be. The names of one address take turns. */
  name: string;
  /** Known at this address: goes ahead of the address's other work. */
  familiar?: boolean;
  /** Goes ahead of all other work, and is never dropped for it. Of one address either all are urgent, or none. */
  urgent?: boolean;
  /** By when the work must be done, in `performance.now()`. */
  until: number;
  /** Aborted when the caller hangs up: its place is free at once. */
  signal?: AbortSignal | undefined;
}

/** Times are milliseconds of `performance.now()`. */
interface Place {
  caller: Caller;
  /** When its request was last active. */
  seen: number;
  /** The lowest starts first. */
  turn: number;
  /** How many of the same caller were waiting when it came. */
  nth: number;
  /** Of two with the same turn, the lower starts first. */
  number: number;
}

/** The longest and the shortest time between two polls of a waiting request, in milliseconds. */
const LOOK_AT_LEAST = 100;
const LOOK = 10;

/** Its caller is gone, or its time is over. */
class GivenUp extends Error {}

export class FairQueue {
  readonly #limits: QueueLimits;
  #came = 0;
  #running: Place[] = [];
  #waiting: Place[] = [];
  /** The turn of the work that started last: a new address does not start with past turns. */
  #turn = 0;
  #lastStart = -Infinity;
  /** When any request last polled. */
  #lookedAt = -Infinity;
  /** Until then no entry counts as abandoned: the isolate itself had no CPU for long. */
  #sparedUntil = -Infinity;
  /** How long work usually takes, in milliseconds. */
  #usual = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /**
   * Runs the work when it is its turn; `busy` if too many wait or it cannot be done in time: it has not started, or has
   * given up.
   *
   * @param work must call `goesOn` more often than its slot expires, if it may take longer; the call throws when the
   *   caller is gone or the time is over
   */
  async run<T>(caller: Caller, work: (goesOn: () => void) => Promise<T>): Promise<Result<T, "busy">> {
    const place: Place = { caller, seen: performance.now(), turn: 0, nth: 0, number: this.#came++ };
    if (!(await this.#enter(place))) return err("busy");
    const began = performance.now();
    try {
      const value = await work(() => this.#goOn(place));
      this.#usual += (performance.now() - began - this.#usual) / 4;
      return ok(value);
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
      this.#usual = Math.max(this.#usual, performance.now() - began);
      return err("busy");
    } finally {
      this.#running = this.#running.filter((other) => other !== place);
    }
  }

  /** More work of this address would be refused at once: the queue is full, and no address has more entries. */
  isFullFor(address: string): boolean {
    this.#dropAbandoned(performance.now());
    if (this.#waiting.length < this.#limits.waiting) return false;
    const shares = this.#shares();
    return (shares.get(address)?.length ?? 0) >= Math.max(...[...shares.values()].map(({ length }) => length));
  }

  /** false: it was dropped, cannot be done in time, or its caller is gone. */
  async #enter(place: Place): Promise<boolean> {
    const { signal } = place.caller;
    const leave = (): void => this.#leave(place);
    signal?.addEventListener("abort", leave);
    try {
      this.#dropAbandoned(performance.now());
      if (performance.now() < this.#sparedUntil) {
        await scheduler.wait(LOOK_AT_LEAST);
        this.#dropAbandoned(performance.now());
      }
      this.#join(place);
      for (;;) {
        const now = performance.now();
        // Dropped for another, or its caller is gone.
        if (signal?.aborted === true || !this.#waiting.includes(place)) return false;
        place.seen = now;
        this.#dropAbandoned(now);
        if (this.#isTooLate(place, now)) return false;
        const ahead = this.#ahead(place);
        const startsIn = this.#lastStart + this.#limits.apart * (ahead + 1) - now;
        if (ahead === 0 && startsIn <= 0 && this.#running.length < this.#limits.atOnce) {
          this.#begin(place, now);
          return true;
        }
        await scheduler.wait(Math.min(Math.max(startsIn, LOOK * (ahead + 1)), LOOK_AT_LEAST));
      }
    } finally {
      signal?.removeEventListener("abort", leave);
      this.#leave(place);
    }
  }

  #begin(place: Place, now: number): void {
    this.#running.push(place);
    if (Number.isFinite(place.turn)) this.#turn = place.turn;
    this.#lastStart = now;
  }

  #leave(place: Place): void {
    this.#waiting = this.#waiting.filter((other) => other !== place);
  }

  #goOn(place: Place): void {
    place.seen = performance.now();
    if (place.seen > place.caller.until || place.caller.signal?.aborted === true) throw new GivenUp();
  }

  #ahead(place: Place): number {
    return this.#waiting.filter((other) => isBefore(other, place)).length;
  }

  #isTooLate(place: Place, now: number): boolean {
    const { apart, atOnce } = this.#limits;
    const ahead = this.#ahead(place);
    // An idle queue takes all work: otherwise slow work, once seen, would close it permanently.
    if (ahead === 0 && this.#running.length === 0) return now > place.caller.until;
    const free = this.#running.length < atOnce ? 0 : 1;
    const starts = now + Math.max(apart * ahead, (this.#usual * (ahead + free)) / atOnce);
    return starts + this.#usual > place.caller.until;
  }

  /** May drop this entry itself, if there is no room. */
  #join(place: Place): void {
    const { address, name, urgent = false } = place.caller;
    const own = this.#waiting.filter((other) => other.caller.address === address);
    place.nth = own.filter((other) => other.caller.name === name).length;
    place.turn = urgent ? -Infinity : Math.max(this.#turn, ...own.map(({ turn }) => turn)) + 1;
    this.#waiting.push(place);
    shareTurns([...own, place]);
    if (this.#waiting.length > this.#limits.waiting) this.#leave(this.#last());
  }

  /** The last entry of the address with the most; of several such addresses, the latest. */
  #last(): Place {
    const shares = [...this.#shares().values()];
    const most = Math.max(...shares.map(({ length }) => length));
    const candidates = shares.filter(({ length }) => length === most).flat();
    return candidates.reduce((last, place) => (isBefore(last, place) ? place : last));
  }

  #shares(): Map<string, Place[]> {
    return Map.groupBy(this.#waiting, ({ caller }) => caller.address);
  }

  /**
   * If nobody polled for long, either all are gone, or the isolate had no CPU. Then the timers of waiting calls are
   * due, and run before anything is dropped.
   */
  #dropAbandoned(now: number): void {
    const isLong = now - this.#lookedAt > this.#limits.abandonedAfter / 2;
    if (isLong && this.#waiting.length + this.#running.length > 0) this.#sparedUntil = now + LOOK_AT_LEAST;
    this.#lookedAt = now;
    if (now < this.#sparedUntil) return;
    const isThere = ({ seen }: Place): boolean => seen + this.#limits.abandonedAfter > now;
    this.#running = this.#running.filter(isThere);
    this.#waiting = this.#waiting.filter(isThere);
  }
}

function isBefore(one: Place, other: Place): boolean {
  return one.turn < other.turn || (one.turn === other.turn && one.number < other.number);
}

/** One address's turns in its best order: familiar callers first, then each caller's first entry. */
function shareTurns(places: Place[]): void {
  const turns = places.map(({ turn }) => turn).toSorted((one, other) => one - other);
  const rank = ({ caller, nth }: Place): number => (caller.familiar === true ? 0 : 1e6) + nth;
  const ordered = places.toSorted((one, other) => rank(one) - rank(other));
  for (const [index, place] of ordered.entries()) place.turn = turns[index] ?? place.turn;
}
