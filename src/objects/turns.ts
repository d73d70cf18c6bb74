/**
 * Everything that enters the object (a call, a frame, the end of a socket, the alarm) and everything that continues
 * after an await is one turn: it takes the time once, works without awaiting, and sets the object's one alarm. The
 * lane, the record and the sockets change only in code that gets `now`, and only a turn has it, so no deadline is lost.
 *
 * A turn is one transaction: SQL undoes what a failed one wrote. What a turn has read, and the frames that it wants to
 * send, live only as long as the turn, so nothing in memory needs to be undone (I1, I4).
 */
import { logError } from "../outcomes/log.ts";
import { SECOND } from "../time/units.ts";

/** Before the work of a failed turn is retried, in milliseconds. */
const FAILED_TURN_RETRY = 5 * SECOND;

/** Takes part in every turn, in addition to its work. */
export interface TurnParticipant {
  begin?(now: number): void;
  /**
   * The turn's work is done: writes what follows from it, in the same transaction. Called in the order of the parts.
   */
  finish?(now: number): void;
  /** The rows are written: performs what was held back until then. */
  commit?(): void;
  /** Drops what it has read and held back. Called before a turn, and when it is over, however it ended. */
  forget?(): void;
}

interface TurnParts {
  storage: Pick<DurableObjectStorage, "setAlarm" | "transactionSync">;
  participants: readonly TurnParticipant[];
  /** Starts the outside work that is due. Returns at once and never throws. */
  startWork: (now: number) => void;
  /** Epoch milliseconds; null: the object has nothing to do. */
  nextDeadline: (now: number) => number | null;
}

export class Turns {
  readonly #parts: TurnParts;
  /** As far as this instance knows; null: none, or unknown after a restart. */
  #alarmAt: number | null = null;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Called once before the first turn, with the alarm of an earlier instance. */
  alarmIsAt(time: number | null): void {
    this.#alarmAt = time;
  }

  /**
   * Does the work in one transaction, performs its effects, starts the outside work, and sets the alarm. The alarm is
   * set even if any of that throws: earlier deadlines still exist. The caller gets the error. If an effect throws, the
   * remaining effects are dropped: the rows are written, and whoever hears nothing asks again (I3).
   *
   * @param work gets the turn's time, epoch milliseconds. Must not await.
   */
  take<T>(work: (now: number) => T): T {
    const now = Date.now();
    const { participants, startWork } = this.#parts;
    // After a failed turn, a deadline may be in the past.
    let notBefore = now + FAILED_TURN_RETRY;
    try {
      const result = this.#transact(work, now);
      notBefore = now;
      for (const one of participants) one.commit?.();
      startWork(now);
      return result;
    } catch (error) {
      // The alarm follows from what is stored.
      this.#forget();
      throw error;
    } finally {
      this.#arm(now, notBefore);
      this.#forget();
    }
  }

  #transact<T>(work: (now: number) => T, now: number): T {
    const { storage, participants } = this.#parts;
    this.#forget();
    return storage.transactionSync(() => {
      for (const one of participants) one.begin?.(now);
      const done = work(now);
      for (const one of participants) one.finish?.(now);
      return done;
    });
  }

  #forget(): void {
    for (const one of this.#parts.participants) one.forget?.();
  }

  /**
   * The alarm has fired, so none is set now. Never throws: the platform drops an alarm after six failed attempts
   * (https://developers.cloudflare.com/durable-objects/api/alarms/), and a deadline must not be dropped.
   */
  takeAlarm(work: (now: number) => void): void {
    this.#alarmAt = null;
    try {
      this.take(work);
    } catch (error) {
      logError("alarm-failed", error);
      // Without this alarm, due work would be forgotten.
      this.#setBy(Date.now() + FAILED_TURN_RETRY);
    }
  }

  /**
   * Within a turn: housekeeping whose failure must not undo what else is due, such as the end of a request. A failure is
   * logged, and its rows are undone.
   *
   * @param work must change the object's own row last, which is not undone
   */
  tryWithin(event: string, work: () => void): void {
    try {
      this.#parts.storage.transactionSync(work);
    } catch (error) {
      logError(event, error);
    }
  }

  /**
   * The alarm fires no later than the next deadline. An earlier alarm stays: it finds nothing to do and sets the next,
   * which costs less than moving the alarm with every frame (each move is a row written,
   * https://developers.cloudflare.com/durable-objects/platform/pricing/).
   *
   * Never throws: what the turn did is done, and its caller gets the result.
   *
   * @param notBefore the earliest time for the alarm
   */
  #arm(now: number, notBefore: number): void {
    try {
      const next = this.#parts.nextDeadline(now);
      this.#setBy(next !== null && next <= now ? notBefore : next);
    } catch (error) {
      logError("deadline-not-known", error);
      this.#setBy(now + FAILED_TURN_RETRY);
    }
  }

  /** Keeps an earlier alarm. null: no alarm is needed. */
  #setBy(time: number | null): void {
    if (time === null || (this.#alarmAt !== null && this.#alarmAt <= time)) return;
    this.#alarmAt = time;
    // Not awaited: the write joins the turn's other writes behind the output gate. After a failure the next turn sets it.
    this.#parts.storage.setAlarm(time).catch((error: unknown) => {
      if (this.#alarmAt === time) this.#alarmAt = null;
      logError("alarm_not_set", error);
    });
  }
}

export function earliest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
