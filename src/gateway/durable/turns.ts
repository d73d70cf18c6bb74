/**
 * Everything that changes the object (a call, a frame, the end of a socket, the alarm, and what continues after an await)
 * is one turn: it takes the time once, works without awaiting, and sets the object's one alarm. A call that only reads
 * takes none. The
 * lane, the record and the sockets change only in code that gets `now`, and only a turn has it, so no deadline is lost.
 *
 * A turn is one transaction: SQL undoes what a failed one wrote. What a turn has read, and the frames and log lines that it
 * wants to send, live only as long as the turn, so nothing in memory needs to be undone (I1, I4).
 */
import { logAfterCommit, logError } from "../lib/log.ts";
import type { LogEvent } from "../lib/log-events.ts";
import { SECOND, type EpochMs, type Milliseconds } from "../../protocol/time/units.ts";

/** Before the work of a failed turn is retried. */
const FAILED_TURN_RETRY: Milliseconds = 5 * SECOND;

/** Takes part in every turn, in addition to its work. */
export interface TurnParticipant {
  begin?(now: EpochMs): void;
  /**
   * The turn's work is done: writes what follows from it, in the same transaction. Called in the order of the participants.
   */
  finish?(now: EpochMs): void;
  /** The rows are written: performs what was held back until then. */
  commit?(): void;
  /** Drops what it has read and held back. Called before a turn, and when it is over, however it ended. */
  forget?(): void;
}

/** Something that the object does at a time: outside of turns, or in the turn of its alarm. */
export interface Schedule {
  /** Whether this turn may have changed what is due, or when. Missing: it costs nothing to ask. */
  hasChanged?(): boolean;
  /**
   * Starts what is due and belongs to no turn. Called when the turn's rows are written; returns at once.
   *
   * @returns when to look again; null: need not
   */
  startDue(now: EpochMs): EpochMs | null;
}

interface TurnParts {
  storage: Pick<DurableObjectStorage, "setAlarm" | "transactionSync">;
  participants: readonly TurnParticipant[];
  /** A function, because most schedules take turns themselves. */
  schedules: () => readonly Schedule[];
}

export class Turns {
  readonly #parts: TurnParts;
  /** As far as this instance knows; null: none, or unknown after a restart. */
  #alarmAt: EpochMs | null = null;
  /**
   * Whether the alarm is known to fire no later than any schedule wants. Then a turn asks only those that it may have
   * changed: what the others want is the same as before. Unknown to a new instance, and once the alarm has fired.
   */
  #isAlarmSufficient = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Called once before the first turn, with the alarm of an earlier instance. */
  alarmIsAt(time: number | null): void {
    this.#alarmAt = time;
  }

  /**
   * Does the work in one transaction, performs its effects, starts the outside work, and sets the alarm. The caller gets
   * what any of the first two throws. If an effect throws, the remaining effects are dropped: the rows are written, and
   * whoever gets no answer asks again (I3).
   *
   * @param work gets the turn's time. Must not await.
   */
  take<T>(work: (now: EpochMs) => T): T {
    const now = Date.now();
    try {
      const result = this.#transact(work, now);
      for (const one of this.#parts.participants) one.commit?.();
      this.#startDueAndSetAlarm(now);
      return result;
    } catch (error) {
      // What is due may be the cause, so it is retried a little later. The alarm's turn looks at every schedule.
      this.#isAlarmSufficient = false;
      this.#setBy(now + FAILED_TURN_RETRY);
      throw error;
    } finally {
      this.#forget();
    }
  }

  #transact<T>(work: (now: EpochMs) => T, now: EpochMs): T {
    const { storage, participants } = this.#parts;
    this.#forget();
    const workAndFinish = (): T => {
      for (const one of participants) one.begin?.(now);
      const done = work(now);
      for (const one of participants) one.finish?.(now);
      return done;
    };
    return logAfterCommit(() => storage.transactionSync(workAndFinish));
  }

  #forget(): void {
    for (const one of this.#parts.participants) one.forget?.();
  }

  /**
   * The alarm has fired, so none is set now. Never throws: the platform drops an alarm after six failed attempts
   * (https://developers.cloudflare.com/durable-objects/api/alarms/), and a deadline must not be dropped.
   */
  takeAlarm(work: (now: EpochMs) => void): void {
    this.#alarmAt = null;
    this.#isAlarmSufficient = false;
    try {
      this.take(work);
    } catch (error) {
      logError("alarm_failed", error);
    }
  }

  /**
   * Within a turn: housekeeping whose failure must not undo what else is due, such as the end of a request. A failure is
   * logged, and its rows are undone.
   *
   * @param work changes the object's record (`OwnRow`) last: the record is read once a turn, so a failure after a change
   *   of it would undo the rows and not the record
   * @returns false: it failed
   */
  tryWithin(event: LogEvent, work: () => void, facts: Record<string, unknown> = {}): boolean {
    try {
      logAfterCommit(() => this.#parts.storage.transactionSync(work));
      return true;
    } catch (error) {
      logError(event, error, facts);
      return false;
    }
  }

  /**
   * The alarm fires no later than the next deadline. An earlier alarm stays: it finds nothing to do and sets the next,
   * which costs less than moving the alarm with every frame (each move is a row written,
   * https://developers.cloudflare.com/durable-objects/platform/pricing/).
   *
   * Never throws: what the turn did is done, and its caller gets the result.
   */
  #startDueAndSetAlarm(now: EpochMs): void {
    try {
      const isKnown = this.#isAlarmSufficient;
      const asked = this.#parts.schedules().filter((one) => !isKnown || one.hasChanged?.() !== false);
      const next = earliest(...asked.map((one) => one.startDue(now)));
      this.#isAlarmSufficient = true;
      this.#setBy(next);
    } catch (error) {
      this.#isAlarmSufficient = false;
      logError("alarm_time_not_computed", error);
      this.#setBy(now + FAILED_TURN_RETRY);
    }
  }

  /** Keeps an earlier alarm. null: no alarm is needed. */
  #setBy(time: number | null): void {
    if (time === null || (this.#alarmAt !== null && this.#alarmAt <= time)) return;
    this.#alarmAt = time;
    // The write is not awaited: it joins the turn's other writes behind the output gate. After a failure the next turn
    // sets it.
    this.#parts.storage.setAlarm(time).catch((error: unknown) => {
      if (this.#alarmAt === time) this.#alarmAt = null;
      this.#isAlarmSufficient = false;
      logError("alarm_not_set", error);
    });
  }
}

export function earliest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
