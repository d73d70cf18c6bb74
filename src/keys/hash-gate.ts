/**
 * How many passwords an isolate hashes. A hash takes some 300 ms of CPU and blocks everything else in the isolate,
 * payments included: few run at a time, few wait, and everybody else is asked to come back.
 */
import { err, ok, type Result } from "../result.ts";

/** Hashes that have begun. */
const AT_ONCE = 2;

/** Logins that wait for one of them to end. */
const WAITING = 4;

/** How long a slot stays empty after a hash, in milliseconds: what the hash held up goes first. */
const PAUSE = 100;

export class HashGate {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Does the work when it is its turn; `busy` where too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<Result<T, "busy">> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= WAITING) return err("busy");
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return ok(await work());
    } finally {
      void scheduler.wait(PAUSE).then(() => this.#next());
    }
  }

  /** The slot goes to who has waited longest. */
  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}

/** The one of this isolate. */
export const hashGate: HashGate = new HashGate();
