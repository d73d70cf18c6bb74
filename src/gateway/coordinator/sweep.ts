/**
 * Finds terminals that are silent although their connection is open: the coordinator asks the objects of all terminals
 * that D1 lists with a connection. An object whose state differs from D1 updates it; the others write nothing.
 */
import { HOUR, MINUTE, SECOND, type EpochMs } from "../../protocol/time/units.ts";
import { mapConcurrently } from "../../protocol/map-concurrently.ts";
import { log } from "../lib/log.ts";
import { listOpenTerminals } from "../d1/terminals.ts";
import { terminalStub } from "../terminal/rpc.ts";
import { localDateTime } from "../../protocol/time/zone.ts";
import { withTimeout } from "../lib/with-timeout.ts";

/** The timeout of every call to D1 and to an object. */
export const CALL_WAIT = 10 * SECOND;

/**
 * A step of a sweep or of a resync calls this many objects, and the next one follows after a pause: a million objects
 * take six hours.
 */
export const STEP_OBJECTS = 50;
export const STEP_EVERY = SECOND;

/** A step that failed, or was interrupted by a reset, is repeated after this time. */
export const STEP_RETRY = 30 * SECOND;

/** Every terminal with a connection is asked this often whether it was active. */
export const SWEEP_EVERY = 15 * MINUTE;
export const SWEEP_EVERY_AT_NIGHT = HOUR;

/**
 * After a restart of the gateway, every terminal that D1 lists as connected is asked after this time. Most have
 * reconnected by then: they do within ten seconds.
 */
export const ASK_AFTER_RESTART = 30 * SECOND;

/** Night ends at this hour, in the time zone of the terminal's account. */
export const NIGHT_ENDS = 6;

export function nextSweep(now: EpochMs): EpochMs {
  return (Math.floor(now / SWEEP_EVERY) + 1) * SWEEP_EVERY;
}

/**
 * At night, a terminal is asked only in one of several sweeps.
 *
 * @param timezone of its account; null: none
 * @param sweepAt when the sweep was to start
 */
export function isAsked(timezone: string | null, sweepAt: EpochMs): boolean {
  if (sweepAt % SWEEP_EVERY_AT_NIGHT < SWEEP_EVERY) return true;
  return Number(localDateTime(sweepAt, timezone ?? "UTC").slice(11, 13)) >= NIGHT_ENDS;
}

interface SweepParts {
  env: Env;
  context: Pick<DurableObjectState, "waitUntil">;
  /** The stored time at which the current or next sweep was to start. */
  sweepAt: () => number;
  over: () => void;
}

/**
 * The progress of a sweep is in memory only: a row for each step would cost more than sweeps that start over after a
 * reset.
 */
export class Sweep {
  readonly #parts: SweepParts;
  #after = "";
  #isAsking = false;
  /** Whether the sweep includes terminals for which it is night. */
  #asksAll = false;
  /** The time of the next step; null: it starts with the sweep. */
  #stepAt: EpochMs | null = null;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  /** The next sweep asks every terminal, and starts at this time, unless it is due before. */
  askAllAt(time: number): void {
    this.#asksAll = true;
    if (this.#parts.sweepAt() > time) this.#stepAt = time;
  }

  /** Returns when the alarm must call `start`. */
  nextDeadline(): number {
    return this.#stepAt ?? this.#parts.sweepAt();
  }

  start(now: EpochMs): void {
    const { context, sweepAt } = this.#parts;
    const due = sweepAt();
    if (now < (this.#stepAt ?? due)) return;
    this.#stepAt = now + STEP_EVERY;
    if (this.#isAsking) return;
    this.#isAsking = true;
    context.waitUntil(this.#step(due));
  }

  async #step(sweepAt: EpochMs): Promise<void> {
    const { env, over } = this.#parts;
    try {
      const { rows, judgedTo } = await withTimeout(
        CALL_WAIT,
        listOpenTerminals(env.DATABASE, this.#after, STEP_OBJECTS),
      );
      const asked = rows.filter(({ timezone }) => this.#asksAll || isAsked(timezone, sweepAt));
      await mapConcurrently(asked, STEP_OBJECTS, ({ terminalId }) => this.#ask(terminalId));
      const last = rows.length === STEP_OBJECTS ? rows.at(-1) : judgedTo;
      this.#after = last?.terminalId ?? "";
      if (this.#after === "") {
        this.#stepAt = null;
        this.#asksAll = false;
        over();
      }
    } catch (error) {
      log("warning", "sweep_interrupted", { detail: String(error) });
      this.#stepAt = Date.now() + STEP_RETRY;
    } finally {
      this.#isAsking = false;
    }
  }

  async #ask(terminalId: string): Promise<void> {
    try {
      await withTimeout(CALL_WAIT, terminalStub(this.#parts.env, terminalId).status());
    } catch (error) {
      // The next sweep asks it again.
      log("warning", "object_not_called", { terminal: terminalId, detail: String(error) });
    }
  }
}
