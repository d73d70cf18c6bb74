/**
 * After a restore of D1, which is a manual act, an operator has every object enqueue its state: those that D1 lists,
 * and those that were made lately, which a restored D1 may not list. The resync continues from a stored position, can
 * be stopped, and can be repeated: D1 takes only what is newer than what it has.
 */
import { mapConcurrently } from "../../protocol/map-concurrently.ts";
import { withTimeout } from "../lib/with-timeout.ts";
import { log } from "../lib/log.ts";
import type { ResyncProgress } from "./rpc.ts";
import { accountStub } from "../account/rpc.ts";
import { terminalStub } from "../terminal/rpc.ts";
import { type ObjectKind, listObjects, markMissing, readObjectName } from "../d1/objects.ts";
import type { Turns } from "../durable/turns.ts";
import { CALL_WAIT, STEP_EVERY, STEP_OBJECTS, STEP_RETRY } from "./sweep.ts";
import { listCreated, type WatchStore } from "./storage/tables.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** `created` stands for objects that were made lately, whether D1 lists them or not. */
export type ResyncPhase = "created" | ObjectKind;

const FOLLOWING: Record<ResyncPhase, ResyncPhase | null> = {
  created: "account",
  account: "terminal",
  terminal: null,
};

/** An object is called this often before it counts as one that failed. */
const CALLS = 3;

type Called = "resynced" | "missing" | "failed";

interface ResyncParts {
  env: Env;
  context: Pick<DurableObjectState, "waitUntil">;
  storage: Pick<DurableObjectStorage, "sql">;
  store: WatchStore;
  turns: () => Turns;
}

export class Resync {
  readonly #parts: ResyncParts;
  /** The start of the resync whose step is in progress, or null. */
  #steppingFor: number | null = null;

  constructor(parts: ResyncParts) {
    this.#parts = parts;
  }

  /** Starts the resync, anew if it is running. Called within a turn. */
  begin(now: EpochMs): void {
    const counts = { resynced: 0, missing: 0, failed: 0 };
    const startedAt = Math.max(now, (this.#parts.store.watch.startedAt ?? 0) + 1);
    this.#parts.store.update({ ...counts, phase: "created", after: "", stepAt: now, startedAt, endedAt: null });
  }

  /** Stops the resync; what objects have enqueued stays enqueued. Called within a turn. */
  stop(now: EpochMs): void {
    if (this.#parts.store.watch.phase !== null) this.#parts.store.update({ phase: null, endedAt: now });
  }

  get progress(): ResyncProgress {
    const { phase, after, startedAt, endedAt, resynced, missing, failed } = this.#parts.store.watch;
    return { phase, after, startedAt, endedAt, resynced, missing, failed };
  }

  /** Returns when the alarm must call `start`, or null if no resync is running. */
  nextDeadline(now: EpochMs): number | null {
    const { phase, stepAt } = this.#parts.store.watch;
    if (phase === null) return null;
    // The retry continues after a reset of the object during a step.
    return this.#steppingFor === null ? stepAt : now + STEP_RETRY;
  }

  start(now: EpochMs): void {
    const { phase, stepAt, startedAt } = this.#parts.store.watch;
    if (phase === null || this.#steppingFor !== null || now < stepAt) return;
    this.#steppingFor = startedAt;
    this.#parts.context.waitUntil(this.#step(phase, startedAt));
  }

  async #step(phase: ResyncPhase, startedAt: EpochMs | null): Promise<void> {
    const { store, turns } = this.#parts;
    let ids: string[] = [];
    let called: Called[] | null = null;
    try {
      ids = await this.#nextObjects(phase);
      called = await mapConcurrently(ids, STEP_OBJECTS, (id) => this.#call(phase, id));
    } catch (error) {
      log("warning", "resync_interrupted", { detail: String(error) });
    }
    this.#steppingFor = null;
    turns().take((now) => {
      const { watch } = store;
      // The resync was stopped, or started anew.
      if (watch.startedAt !== startedAt || watch.phase === null) return;
      if (called === null) store.update({ stepAt: now + STEP_RETRY });
      else store.update({ ...this.#counted(called), ...nextPosition(phase, ids), stepAt: now + STEP_EVERY });
      if (store.watch.phase !== null) return;
      store.update({ endedAt: now });
      log("info", "resync_completed", { ...this.progress });
    });
  }

  #counted(called: readonly Called[]): Record<Called, number> {
    const { watch } = this.#parts.store;
    const counted = (outcome: Called): number => watch[outcome] + called.filter((one) => one === outcome).length;
    return { resynced: counted("resynced"), missing: counted("missing"), failed: counted("failed") };
  }

  async #nextObjects(phase: ResyncPhase): Promise<string[]> {
    const { env, storage, store } = this.#parts;
    const { after } = store.watch;
    if (phase === "created") return listCreated(storage.sql, after, STEP_OBJECTS);
    return withTimeout(CALL_WAIT, listObjects(env.DATABASE, phase, after, STEP_OBJECTS));
  }

  /** An object that does not answer is called again, a few times. */
  async #call(phase: ResyncPhase, id: string): Promise<Called> {
    const { kind, id: own } = phase === "created" ? readObjectName(id) : { kind: phase, id };
    for (let calls = 1; calls <= CALLS; calls++) {
      try {
        if (await this.#exists(kind, own)) return "resynced";
        // An object that was to be made lately, but never was, is no loss.
        return phase === "created" ? "resynced" : await this.#markMissing(kind, own);
      } catch (error) {
        log("warning", "object_not_called", { [kind]: own, calls, detail: String(error) });
      }
    }
    return "failed";
  }

  #exists(kind: ObjectKind, id: string): Promise<boolean> {
    const { env } = this.#parts;
    return withTimeout(CALL_WAIT, kind === "account" ? accountStub(env, id).resync() : terminalStub(env, id).resync());
  }

  async #markMissing(kind: ObjectKind, id: string): Promise<Called> {
    await withTimeout(CALL_WAIT, markMissing(this.#parts.env.DATABASE, kind, id, Date.now()));
    log("error", "object_missing", { [kind]: id });
    return "missing";
  }
}

/** @param ids the objects of the step */
export function nextPosition(phase: ResyncPhase, ids: readonly string[]): { phase: ResyncPhase | null; after: string } {
  const last = ids.at(-1);
  if (ids.length === STEP_OBJECTS && last !== undefined) return { phase, after: last };
  return { phase: FOLLOWING[phase], after: "" };
}
