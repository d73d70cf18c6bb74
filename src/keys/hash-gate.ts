/**
 * How many passwords an isolate hashes, and how it shares its time between them and everything else. A hash takes some 500
 * ms of CPU, during which nothing else of the isolate would run, payments included. So it runs in short pieces with a pause
 * after each. Few run at a time, few wait, and all others are asked to retry.
 */
import { type Caller, FairQueue } from "../bounds/fair-queue.ts";
import type { Result } from "../outcomes/result.ts";
import { SECOND } from "../time/units.ts";

/**
 * Each hash needs 32 MiB of an isolate's 128 MB (https://developers.cloudflare.com/workers/platform/limits/). Of the hashes that
 * wait, only the ones that can be done in time begin. A slot expires after many times the length of a piece and its pause.
 */
const LIMITS = { atOnce: 2, apart: 0, waiting: 12, abandonedAfter: 5 * SECOND };

/** The pause after a piece, in milliseconds: what it delayed goes first. */
const PAUSE = 2;

/** How often a paused hash checks whether to continue, in milliseconds. */
const LOOK = 1;

/** After this time a pause is over even if nobody ended it, in milliseconds: its request is gone. */
const LEFT = 250;

export class HashGate {
  readonly #queue = new FairQueue(LIMITS);
  /** Until when no piece starts, in `performance.now()`. */
  #pausesUntil = 0;

  /** Whether a hash that this address asked for now would be refused at once. */
  isFullFor(address: string): boolean {
    return this.#queue.isFullFor(address);
  }

  /**
   * Runs the work in turn; `busy` if too many wait, or it cannot be done in time.
   *
   * @param work awaits `pause` after each of its pieces
   */
  run<T>(caller: Caller, work: (pause: () => Promise<void>) => Promise<T>): Promise<Result<T, "busy">> {
    return this.#queue.run(caller, (goesOn) => work(() => this.#pause(goesOn)));
  }

  /** No two pieces run back to back, for any caller. */
  async #pause(goesOn: () => void): Promise<void> {
    this.#pausesUntil = performance.now() + LEFT;
    // The platform's clock does not advance while code runs: without this, the pause would be over before it starts.
    await scheduler.wait(1);
    this.#pausesUntil = performance.now() + PAUSE - 1;
    while (performance.now() < this.#pausesUntil) {
      goesOn();
      await scheduler.wait(LOOK);
    }
  }
}

export const hashGate: HashGate = new HashGate();
