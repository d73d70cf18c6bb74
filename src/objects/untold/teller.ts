/**
 * Tells receivers what they lack, in the background: one attempt at a time per receiver, each call with a timeout. What
 * fails is told again without end, with growing pauses. No turn and no alarm waits for it; after a reset, the object's alarm
 * resumes it.
 */
import { logError } from "../../outcomes/log.ts";
import { within } from "../../bounds/within.ts";
import { earliest, type Turns } from "../turns.ts";
import { dueNow, type Waiting, wakeFor } from "./decisions.ts";
import { SAFETY, TOLD_AT_ONCE } from "../limits.ts";

/** Applies what an attempt has achieved, within a turn. */
export type Conclusion = (now: number) => void;

/** One kind of receivers, and what they lack. */
export interface Source {
  /** For log lines. */
  readonly name: string;
  /** Most conclusions write no row. */
  readonly isLight?: boolean;
  /** What waits now, by receiver. Called in every turn. */
  waiting(now: number): ReadonlyMap<string, Waiting>;
  /** Reads what the receiver lacks before it returns, and tells it. Rejects only if something is wrong with the code. */
  tell(receiver: string, now: number): Promise<Conclusion>;
}

export interface TellerParts {
  context: Pick<DurableObjectState, "waitUntil">;
  turns: Turns;
  sources: readonly Source[];
}

export class Teller {
  readonly #parts: TellerParts;
  readonly #attempts: ReadonlyMap<Source, Map<string, Promise<void>>>;

  constructor(parts: TellerParts) {
    this.#parts = parts;
    this.#attempts = new Map(parts.sources.map((source) => [source, new Map<string, Promise<void>>()]));
  }

  /** Starts what is due. Called at the end of every turn. Never throws. */
  start(now: number): void {
    for (const [source, attempts] of this.#attempts) {
      try {
        const room = TOLD_AT_ONCE - attempts.size;
        for (const receiver of dueNow(source.waiting(now), (one) => attempts.has(one), room, now)) {
          const attempt = this.#tell(source, receiver, now);
          attempts.set(receiver, attempt);
          this.#parts.context.waitUntil(attempt);
        }
      } catch (error) {
        // The alarm starts it again.
        logError("not-told", error, { detail: source.name });
      }
    }
  }

  /** When something must be told, epoch milliseconds, always later than `now`; null: no alarm is needed. */
  nextDeadline(now: number): number | null {
    return earliest(
      ...[...this.#attempts].flatMap(([source, attempts]) =>
        [...source.waiting(now)].map(([receiver, waiting]) => wakeFor(waiting, attempts.has(receiver), SAFETY, now)),
      ),
    );
  }

  /**
   * Waits until a change is told, or an attempt at it has failed, up to this many milliseconds.
   *
   * @param isTold whether that is so; not asked any more when nothing of the source is being told
   */
  async awaitTold(source: Source, milliseconds: number, isTold: () => boolean): Promise<void> {
    const attempts = this.#attempts.get(source) ?? new Map<string, Promise<void>>();
    const completed = async (): Promise<void> => {
      while (attempts.size > 0 && !isTold()) await Promise.race(attempts.values());
    };
    await within(milliseconds, completed()).catch(() => undefined);
  }

  async #tell(source: Source, receiver: string, now: number): Promise<void> {
    try {
      const conclude = await source.tell(receiver, now);
      this.#attempts.get(source)?.delete(receiver);
      const { turns } = this.#parts;
      if (source.isLight === true) turns.takeLightly(conclude);
      else turns.take(conclude);
    } catch (error) {
      // The receiver is told the same again, which changes nothing there.
      this.#attempts.get(source)?.delete(receiver);
      logError("telling-not-concluded", error, { detail: `${source.name} ${receiver}` });
    }
  }
}
