import type { CallsOf } from "../account/rpc.ts";
import { log } from "../lib/log.ts";

/** Both ends included; a number belongs to one terminal. */
export interface NumberBlock {
  first: number;
  last: number;
}

/** Of the last resync, or of the one that is running. Times are epoch milliseconds. */
export interface ResyncProgress {
  /** Which objects are called now; null: none, because no resync is running. */
  phase: "created" | "account" | "terminal" | null;
  /** The id of the object that was called last in this phase. */
  after: string;
  startedAt: number | null;
  /** null: it is running, or there was none. */
  endedAt: number | null;
  resynced: number;
  /** D1 has a row of them, and they do not exist. */
  missing: number;
  /** They did not answer. */
  failed: number;
}

export type CoordinatorStub = Pick<
  CallsOf<Env["COORDINATOR"]>,
  "created" | "reserveNumbers" | "reservePosId" | "resyncProgress" | "startResync" | "stopResync" | "watch"
>;

/** A stub that threw is broken: get a new one for every attempt (`rpc/terminal.ts`). */
export function coordinatorStub(env: Pick<Env, "COORDINATOR">): CoordinatorStub {
  return env.COORDINATOR.getByName("coordinator");
}

/** Tells the coordinator of a new object. Never throws: only a restore of D1 needs it. @param object see `Coordinator.created` */
export async function noteMade(env: Pick<Env, "COORDINATOR">, object: string): Promise<void> {
  await coordinatorStub(env)
    .created(object)
    .catch((error: unknown) => log("warning", "object_not_called", { detail: `${object}: ${String(error)}` }));
}
