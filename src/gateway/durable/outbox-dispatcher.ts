/**
 * Delivers the entries of an object's outbox after the commit of their turn, and again until the receiver has taken them.
 * Receivers are idempotent by version, so an entry that arrives twice, late or after a newer one changes nothing.
 *
 * No turn and no alarm waits for a delivery: a D1 that hangs must not delay a cancel or the end of a request.
 */
import { NoAnswer, withTimeout } from "../lib/with-timeout.ts";
import { log, logError } from "../lib/log.ts";
import { MINUTE, SECOND, type EpochMs } from "../../protocol/time/units.ts";
import {
  type Awaited,
  D1,
  type DeliveryAnswer,
  entriesAtOnce,
  type Outbox,
  type OutboxEntry,
} from "./storage/outbox.ts";
import { earliest, type Schedule, type Turns } from "./turns.ts";

/** The timeout of each delivery. Nothing that a POS or a terminal waits for depends on it. */
export const DELIVERY_TIMEOUT = 10 * SECOND;

/** At most this many targets are delivered to at the same time. */
export const TARGETS_AT_ONCE = 50;

/** As many as may be in flight, D1, and one more, which says when to look again. */
const LISTED_TARGETS = TARGETS_AT_ONCE + 2;

/**
 * When the alarm looks at deliveries that a reset of the object may have interrupted. It is later than the alarms that
 * most transactions set anyway, so it rarely costs an alarm of its own.
 */
export const SAFETY = 5 * MINUTE;

/** Deliveries that are due, but could not be started, are started again after this time. */
const START_AGAIN = 5 * SECOND;

/**
 * At most this many deliveries may follow one another from one call or alarm. The platform limits the subrequests of an
 * invocation (1,000, https://developers.cloudflare.com/workers/platform/limits/); an alarm, which is a new one,
 * continues.
 */
export const CHAINED_DELIVERIES = 200;

/** The alarm that continues a chain comes after this time. */
const CHAIN_PAUSE = SECOND / 10;

/** How entries reach one kind of target. */
export interface OutboxReceiver {
  /** The target's name, or the prefix of such names, which ends in a colon. */
  target: string;
  /** Whether entries of this kind share a delivery. If missing, each is sent alone. */
  isBatched?: (kind: string) => boolean;
  /**
   * Reads the state to deliver before it returns, and delivers it. Rejects if the target took nothing.
   *
   * @param entries at least one
   * @returns is called in a turn: applies what the target has answered, and says what became of each entry
   */
  send: (entries: readonly OutboxEntry[], now: EpochMs) => Promise<(now: EpochMs) => readonly DeliveryAnswer[]>;
}

interface DispatcherParts {
  context: Pick<DurableObjectState, "waitUntil">;
  outbox: Outbox;
  turns: Turns;
  receivers: readonly OutboxReceiver[];
  /** Identifies the sender in the log. */
  about: () => Record<string, string | undefined>;
}

/** Deliveries that follow one another in one invocation. */
interface Chain {
  left: number;
}

interface Attempt {
  entries: readonly OutboxEntry[];
  settle: (now: EpochMs) => void;
}

/** Delivers entries in the background, at most one delivery per target at a time. */
export class OutboxDispatcher implements Schedule {
  readonly #parts: DispatcherParts;
  /** Deliveries in flight by target, in memory only: a new instance delivers again. */
  readonly #inFlight = new Map<string, Promise<void>>();
  /**
   * The chain of the delivery whose answer is stored just now, which limits what it may still start; null outside of
   * one.
   */
  #chain: Chain | null = null;
  /** Whether a delivery has ended since the last look at the outbox: its target may have more entries. */
  #hasEnded = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  hasChanged(): boolean {
    return this.#hasEnded || this.#parts.outbox.isChanged;
  }

  /** Starts every delivery that is due. @returns later than `now`. Never throws. */
  startDue(now: EpochMs): number | null {
    let dueAt: EpochMs | null = now + START_AGAIN;
    try {
      dueAt = this.#startDue(now);
      this.#hasEnded = false;
    } catch (error) {
      // The alarm starts them again.
      logError("outbox_not_started", error, this.#parts.about());
    }
    return earliest(dueAt, this.#inFlight.size > 0 ? now + SAFETY : null);
  }

  /** @returns when to start more; null: once a delivery has ended, or an entry is added */
  #startDue(now: EpochMs): number | null {
    const { outbox, context } = this.#parts;
    const chain = this.#chain ?? { left: CHAINED_DELIVERIES };
    const busy = new Set(this.#inFlight.keys());
    // Deliveries to D1 do not count: a thousand terminals that do not answer must not delay the audit log.
    let room = TARGETS_AT_ONCE - busy.size + Number(busy.has(D1));
    for (const { target, dueAt } of outbox.targets(now, LISTED_TARGETS)) {
      if (busy.has(target)) continue;
      if (dueAt > now) return dueAt;
      if (target !== D1 && room-- === 0) return now + START_AGAIN;
      if (chain.left === 0) return now + CHAIN_PAUSE;
      chain.left -= 1;
      const attempt = this.#attempt(target, now, chain);
      this.#inFlight.set(target, attempt);
      context.waitUntil(attempt);
    }
    return null;
  }

  /**
   * Takes one turn, then waits until these targets have what it enqueued, or an attempt has failed, and at most this
   * long.
   */
  async changeAndAwait<Outcome>(
    work: (now: EpochMs) => Outcome,
    targets: readonly string[],
    milliseconds: number,
  ): Promise<Outcome> {
    const { outbox, turns } = this.#parts;
    const outcome = turns.take(work);
    const version = outbox.lastVersion;
    await Promise.all(targets.map((target) => this.awaitDelivered({ target, version }, milliseconds)));
    return outcome;
  }

  /**
   * Waits until the target has everything that is awaited, or an attempt has failed, and at most this long. It serves a
   * call after which a reader expects the change.
   */
  async awaitDelivered(wanted: Awaited, milliseconds: number): Promise<void> {
    const delivered = async (): Promise<void> => {
      for (;;) {
        const inFlight = [...this.#inFlight].filter(([name]) => isMeant(wanted.target, name));
        const attempts = inFlight.map(([, attempt]) => attempt);
        if (attempts.length === 0 || this.#parts.outbox.isDelivered(wanted)) return;
        await Promise.race(attempts);
      }
    };
    await withTimeout(milliseconds, delivered()).catch(() => undefined);
  }

  async #attempt(target: string, now: EpochMs, chain: Chain): Promise<void> {
    const { entries, settle } = await this.#send(target, now);
    this.#inFlight.delete(target);
    this.#hasEnded = true;
    // An answer that cannot be stored counts as a failure: the target gets the same again, which changes nothing there,
    // but later, and without delaying other entries.
    const fail = (after: number): void => this.#parts.outbox.fail(entries, false, after);
    if (!this.#store(target, settle, chain)) this.#store(target, fail, chain);
  }

  /**
   * Runs one turn, whose end starts the target's next delivery.
   *
   * @returns whether it was taken
   */
  #store(target: string, work: (now: EpochMs) => void, chain: Chain): boolean {
    this.#chain = chain;
    try {
      this.#parts.turns.take(work);
      return true;
    } catch (error) {
      logError("outbox_answer_not_stored", error, { ...this.#parts.about(), target });
      return false;
    } finally {
      this.#chain = null;
    }
  }

  /** @returns what was sent. `settle` stores the result; called in a turn */
  async #send(target: string, now: EpochMs): Promise<Attempt> {
    const { outbox, receivers, about } = this.#parts;
    let entries: OutboxEntry[] = [];
    try {
      const receiver = receivers.find((one) => isMeant(one.target, target));
      entries = chooseBatch(outbox.due(target, now), receiver);
      if (receiver === undefined) throw new Error("there is no receiver for this target");
      const judge = await withTimeout(DELIVERY_TIMEOUT, receiver.send(entries, now));
      const settle = (after: number): void => {
        const answers = judge(after);
        entries.forEach((entry, index) => {
          const answer = answers[index] ?? "failed";
          outbox.settle(entry, answer, after);
          const { kind, key } = entry;
          if (answer === "refused") log("warning", "outbox_entry_dropped", { ...about(), target, kind, key });
          if (answer === "failed") log("error", "outbox_delivery_failed", { ...about(), target, kind, key });
        });
      };
      return { entries, settle };
    } catch (error) {
      const kinds = [...new Set(entries.map(({ kind }) => kind))].join();
      const facts = { target, kinds, entries: entries.length, attempt: (entries[0]?.attempts ?? 0) + 1 };
      log("warning", "outbox_delivery_failed", { ...about(), ...facts, detail: String(error) });
      return { entries, settle: (after) => outbox.fail(entries, error instanceof NoAnswer, after) };
    }
  }
}

function isMeant(wanted: string, target: string): boolean {
  return wanted === target || (wanted.endsWith(":") && target.startsWith(wanted));
}

/** A delivery that fails is repeated in smaller parts, until the entry that the target cannot take delays no other. */
function chooseBatch(due: readonly OutboxEntry[], receiver: OutboxReceiver | undefined): OutboxEntry[] {
  const [first] = due;
  if (first === undefined) return [];
  const canShare = ({ attempts, kind }: OutboxEntry): boolean =>
    attempts === first.attempts && receiver?.isBatched?.(kind) === true;
  return canShare(first) ? due.filter(canShare).slice(0, entriesAtOnce(first.attempts)) : [first];
}
