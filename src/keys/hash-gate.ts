/**
 * How many passwords an isolate hashes, and how it shares its time between them and everything else. A hash takes some
 * 500 ms of CPU in which nothing else of the isolate would run, payments included: so it is made in short pieces, with a
 * pause after each. Few are made at a time, few wait, and everybody else is asked to come back.
 */
import { Gate } from "../gate.ts";
import type { Result } from "../result.ts";
import { SECOND } from "../time/units.ts";

/**
 * Each takes 32 MiB of an isolate's 128 while it runs. The last of six ends within the time that a caller has for an
 * answer, and a slot lapses after many times a piece and its pause.
 */
const LIMITS = { atOnce: 2, waiting: 4, longestWait: 4 * SECOND, pollInterval: 20, abandonedAfter: 5 * SECOND };

/** How long nothing is hashed after a piece, in milliseconds: what it held up goes first. */
const PAUSE = 4;

/** How often a hash that pauses looks whether to go on, in milliseconds. */
const LOOK = 1;

/** After this a pause is over though nobody ended it, in milliseconds: its request is gone. */
const LEFT = 250;

export class HashGate {
  readonly #gate = new Gate(LIMITS);
  /** Until when no piece begins, as `performance.now()` tells it. */
  #pausesUntil = 0;

  /**
   * Does the work when it is its turn; `busy` where too many wait already.
   *
   * @param work awaits `pause` after each of its pieces
   */
  run<T>(work: (pause: () => Promise<void>) => Promise<T>): Promise<Result<T, "busy">> {
    return this.#gate.run((goesOn) => work(() => this.#pause(goesOn)));
  }

  /** No two pieces run back to back, for any caller. */
  async #pause(goesOn: () => void): Promise<void> {
    this.#pausesUntil = performance.now() + LEFT;
    // The platform's clock stands still while code runs: without this the pause would be over before it begins.
    await scheduler.wait(1);
    this.#pausesUntil = performance.now() + PAUSE - 1;
    while (performance.now() < this.#pausesUntil) {
      goesOn();
      await scheduler.wait(LOOK);
    }
  }
}

/** The one of this isolate. */
export const hashGate: HashGate = new HashGate();
