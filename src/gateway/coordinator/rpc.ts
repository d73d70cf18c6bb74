import type { CallsOf } from "../account/rpc.ts";
import { log } from "../lib/log.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** The block includes both ends, and its numbers belong to one terminal. */
export interface NumberBlock {
  first: number;
  last: number;
}

/** The progress of the last resync, or of the one that is running. */
export interface ResyncProgress {
  /** The phase names the objects that are called now; it is null if no resync is running. */
  phase: "created" | "account" | "terminal" | null;
  /** The id of the object that was called last in this phase. */
  after: string;
  startedAt: EpochMs | null;
  /** It is null while the resync is running, or if there was none. */
  endedAt: EpochMs | null;
  resynced: number;
  /** The number of objects that have a row in D1 and do not exist. */
  missing: number;
  /** The number of objects that did not answer. */
  failed: number;
}

export type CoordinatorStub = Pick<
  CallsOf<Env["COORDINATOR"]>,
  "created" | "reserveNumbers" | "reservePosId" | "resyncProgress" | "startResync" | "stopResync" | "watch"
>;

/** A stub that threw is broken: get a new one for every attempt (`terminal/rpc.ts`). */
export function coordinatorStub(env: Pick<Env, "COORDINATOR">): CoordinatorStub {
  return env.COORDINATOR.getByName("coordinator");
}

/**
 * Informs the coordinator of a new object. Never throws, because only a restore of D1 needs it.
 *
 * @param object see `Coordinator.created`
 */
export async function noteMade(env: Pick<Env, "COORDINATOR">, object: string): Promise<void> {
  await coordinatorStub(env)
    .created(object)
    .catch((error: unknown) => log("warning", "object_not_called", { detail: `${object}: ${String(error)}` }));
}
