/**
 * The object's turns and its one alarm. Everything that enters the object (a call, a frame, the end of a socket, the
 * alarm) and everything that goes on after an await is one turn: it takes the time once, does its work without awaiting,
 * and sets the alarm. The lane, the record and the sockets change only in code that is given `now`, and only a turn has
 * it, so no deadline is lost.
 *
 * A turn is one transaction. Where its work throws, its rows are undone, what was read into memory is read again, and
 * no frame has left (I1, I4): a turn happens as a whole or not at all.
 */
import { log, logError } from "../log.ts";
import { SECOND } from "../time/units.ts";

/** The delay before what was due in a turn that threw is retried, in milliseconds. */
const FAILED_TURN_RETRY = 5 * SECOND;

/** What a turn changes beside rows. */
export interface TurnParticipant {
  /** The rows are written: carries out what was held until then. */
  commit?(): void;
  /** The rows are undone: forgets what depends on them. */
  rollBack(): void;
}

export interface TurnParts {
  storage: Pick<DurableObjectStorage, "setAlarm" | "transactionSync">;
  participants: readonly TurnParticipant[];
  /** Starts the work outside the object that is due. Returns at once, and never throws. */
  startWork: (now: number) => void;
  /** When the object has something to do next, epoch milliseconds, as rows and sockets stand. */
  nextDeadline: (now: number) => number | null;
}

export class Turns {
  readonly #parts: TurnParts;
  /** The alarm as far as this instance knows; null: none, or unknown after a wake-up. */
  #alarmAt: number | null = null;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Told once, before the first turn: the alarm that an earlier instance has set. */
  alarmIsAt(time: number | null): void {
    this.#alarmAt = time;
  }

  /**
   * Does one turn's work in one transaction, then starts what is to be done outside the object, and sets the alarm.
   *
   * The alarm is also set when the work throws: a deadline that was there before is still there. The caller gets the
   * work's own error.
   *
   * @param work gets the turn's time, epoch milliseconds. Must not await.
   */
  take<T>(work: (now: number) => T): T {
    const now = Date.now();
    const { storage, participants, startWork } = this.#parts;
    let result: T;
    try {
      result = storage.transactionSync(() => work(now));
    } catch (error) {
      for (const one of participants) one.rollBack();
      try {
        this.#arm(now, now + FAILED_TURN_RETRY);
      } catch (unarmed) {
        log("error", "alarm-not-set", { detail: String(unarmed) });
      }
      throw error;
    }
    for (const one of participants) one.commit?.();
    startWork(now);
    this.#arm(now, now);
    return result;
  }

  /**
   * The turn of the alarm, which has gone off and is not set any more. Never throws: the platform gives a failed alarm up
   * after six retries (https://developers.cloudflare.com/durable-objects/api/alarms/), and a deadline must not be given up.
   *
   * @param work returns when to wake the object at the latest, though nothing is due: epoch milliseconds, or null
   */
  takeAlarm(work: (now: number) => number | null): void {
    this.#alarmAt = null;
    try {
      const rest = this.take(work);
      if (this.#alarmAt === null && rest !== null) this.#set(rest);
    } catch (error) {
      logError("alarm-failed", error);
    }
  }

  /**
   * Makes sure that the alarm comes no later than the next deadline. One that comes earlier stays: it finds nothing to
   * do and sets the next, which costs less than moving the alarm with every frame (each move is a row written).
   *
   * @param notBefore when the alarm may come at the earliest. After a turn that threw, a deadline may be in the past.
   */
  #arm(now: number, notBefore: number): void {
    const next = this.#parts.nextDeadline(now);
    if (next === null) return;
    const at = next <= now ? notBefore : next;
    if (this.#alarmAt === null || at < this.#alarmAt) this.#set(at);
  }

  #set(at: number): void {
    this.#alarmAt = at;
    // Not awaited: the write joins the turn's other writes behind the output gate.
    void this.#parts.storage.setAlarm(at);
  }
}

/** The earliest of some times; null where there is none. */
export function earliest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
