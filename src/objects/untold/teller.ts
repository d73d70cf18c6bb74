/**
 * Tells receivers what they lack, in the background: one attempt at a time per receiver, each call with a timeout.
 * Failed tellings are retried without end, with growing pauses. No turn and no alarm waits for them; after a reset, the
 * object's alarm resumes them.
 */
import { D1_PATIENCE, LATER_PATIENCE, OBJECT_PATIENCE, type Patience, SAFETY, TOLD_AT_ONCE } from "../limits.ts";
import { logError } from "../../outcomes/log.ts";
import { within } from "../../bounds/within.ts";
import { earliest, type Turns } from "../turns.ts";

/**
 * Pure decisions about what an object still has to tell: versions, times of attempts, effects of answers. Times are
 * epoch milliseconds.
 *
 * A version is the time of its change, or one more than the last version. So versions grow even if the clock is set
 * back, and an object that has lost its storage does not start below what receivers know. A receiver takes only a
 * higher version.
 */

/** What D1 lacks of the object's own state, and the counter of its versions: columns of the object's own row. */
export interface Owing {
  /** The highest version assigned to anything. */
  version: number;
  /** The version of the state that D1 must have. */
  owed: number;
  /** The highest version of the state that D1 has confirmed. */
  told: number;
  /** Since when D1 lacks the state. */
  since: number;
  /** No attempt before this time, unless something new is owed. */
  notBefore: number;
  /** The generation of D1 that the object knows; each restore of D1 starts a new one. */
  generation: string;
  /** D1's copies with a lower version are from before the restore. */
  retold: number;
}

export interface UntoldRow {
  /** `d1`, or the kind and the name of an object: `account:P1`. */
  receiver: string;
  topic: string;
  version: number;
  since: number;
  notBefore: number;
  /** What is told; null: the state at the time of the attempt. */
  body: string | null;
}

/** `later`: the receiver cannot do it yet. `refused`: it never will. `failed`: no answer, or the answer was lost. */
export type Answer = "taken" | "later" | "refused" | "failed";

export function nextVersion({ version }: Pick<Owing, "version">, now: number): number {
  return Math.max(version + 1, now);
}

export function isOwed({ owed, told }: Owing): boolean {
  return owed > told;
}

/** @param notBefore when to tell the changed state; a time in the past: at once */
export function owe(owing: Owing, now: number, notBefore: number): Owing {
  const version = nextVersion(owing, now);
  const since = isOwed(owing) ? owing.since : now;
  return { ...owing, version, owed: version, since, notBefore };
}

/**
 * D1 was restored and lacks the state. Returns null if the object already knew.
 *
 * @param generation null: D1 lacks the state whatever its generation
 */
export function retold(owing: Owing, generation: string | null, now: number): Owing | null {
  if (generation === owing.generation) return null;
  const next = owe(owing, now, 0);
  return { ...next, generation: generation ?? owing.generation, retold: next.owed };
}

/**
 * `restored`: D1 has another generation. `unnoticed`: D1 lacks a confirmed version, and nobody has given it a new
 * generation yet.
 *
 * @param told the version that D1 had confirmed by then
 */
export function standingOf(
  { generation, told }: Pick<Owing, "generation" | "told">,
  found: { generation: string; version: number | null },
): "fine" | "restored" | "unnoticed" {
  if (found.generation !== generation) return "restored";
  return (found.version ?? 0) < told ? "unnoticed" : "fine";
}

export function taken(owing: Owing, version: number): Owing {
  return { ...owing, told: Math.max(owing.told, version) };
}

/**
 * D1 has, as far as is known, taken nothing of an attempt, which may still take effect. The next attempt gets its own
 * version, and overwrites it.
 *
 * @param oldest since when D1 lacks something
 */
export function notTold(owing: Owing, oldest: number, now: number, random: number): Owing {
  const version = nextVersion(owing, now);
  const notBefore = now + pause(now - oldest, D1_PATIENCE, random);
  return { ...owing, version, owed: isOwed(owing) ? version : owing.owed, notBefore };
}

/** null: the row is deleted. */
export function toldAgainAt(
  { receiver, since }: UntoldRow,
  answer: Answer,
  now: number,
  random: number,
): number | null {
  if (answer === "taken" || answer === "refused") return null;
  if (answer === "later") return now + pause(now - since, LATER_PATIENCE, 1);
  return now + pause(now - since, receiver === D1 ? D1_PATIENCE : OBJECT_PATIENCE, random);
}

export const D1 = "d1";

/**
 * The pause before the next attempt: between half of its bound and the bound, whole milliseconds. The bound grows with
 * the age, not with a count of attempts, because an object that sleeps in between forgets the count.
 *
 * @param age milliseconds since it is owed
 * @param random from 0 to 1: all objects may have failed at the same moment
 */
export function pause(age: number, { least, most }: Patience, random: number): number {
  const bound = Math.min(Math.max(age, least), most);
  // A whole number, like alarms: an alarm that fired a moment too early would be set again at once, repeatedly.
  return Math.ceil((bound / 2) * (1 + random));
}

export interface Waiting {
  notBefore: number;
  /** When an alarm makes that attempt, if nothing else does. Missing: at `notBefore`. */
  wakeAt?: number;
  /** An alarm comes no later than this, in case the object is reset during an attempt. Missing: none is known. */
  alarmBy?: number;
}

/**
 * At most `room` receivers; a receiver that failed goes last.
 *
 * @param isTelling whether an attempt is in progress
 */
function dueNow(
  waiting: ReadonlyMap<string, Waiting>,
  isTelling: (receiver: string) => boolean,
  room: number,
  now: number,
): string[] {
  return [...waiting]
    .filter(([receiver, { notBefore }]) => notBefore <= now && !isTelling(receiver))
    .toSorted(([, one], [, other]) => one.notBefore - other.notBefore)
    .slice(0, room)
    .map(([receiver]) => receiver);
}

/**
 * When the alarm must look at a receiver, always later than `now`; null: an existing alarm is early enough.
 *
 * @param isTelling an attempt is in progress: the alarm is needed only if the object is reset meanwhile
 * @param safety how long after `now` that alarm comes
 */
function wakeFor({ notBefore, wakeAt, alarmBy = 0 }: Waiting, isTelling: boolean, safety: number, now: number) {
  if (isTelling || notBefore <= now) return alarmBy > now ? null : now + safety;
  return Math.max(wakeAt ?? notBefore, now + 1);
}

/** Applies the result of an attempt, within a turn. */
export type Conclusion = (now: number) => void;

export interface Source {
  /** For log lines. */
  readonly name: string;
  /** By receiver. Called in every turn. */
  waiting(now: number): ReadonlyMap<string, Waiting>;
  /** Reads what the receiver lacks before it returns, and tells it. Rejects only on a bug. */
  tell(receiver: string, now: number): Promise<Conclusion>;
}

interface TellerParts {
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

  /** Starts every attempt that is due. Called at the end of every turn. Never throws. */
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

  /** Epoch milliseconds, always later than `now`; null: no alarm is needed. */
  nextDeadline(now: number): number | null {
    return earliest(
      ...[...this.#attempts].flatMap(([source, attempts]) =>
        [...source.waiting(now)].map(([receiver, waiting]) => wakeFor(waiting, attempts.has(receiver), SAFETY, now)),
      ),
    );
  }

  /**
   * Waits up to this many milliseconds until a change is told, or an attempt to tell it has failed.
   *
   * @param isTold no longer called when nothing of the source is being told
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
      this.#parts.turns.take(conclude);
    } catch (error) {
      // The receiver is told the same again, which changes nothing there.
      this.#attempts.get(source)?.delete(receiver);
      logError("telling-not-concluded", error, { detail: `${source.name} ${receiver}` });
    }
  }
}
