import type { CallsOf } from "./account.ts";
import { log } from "../outcomes/log.ts";

/** Both ends included; a number belongs to one terminal. */
export interface NumberBlock {
  first: number;
  last: number;
}

export type KeeperStub = Pick<
  CallsOf<Env["KEEPER"]>,
  "created" | "reserveNumbers" | "reservePosId" | "retell" | "tick" | "watch"
>;

/** A stub that threw is broken: get a new one for every attempt (`rpc/terminal.ts`). */
export function keeperStub(env: Pick<Env, "KEEPER">): KeeperStub {
  return env.KEEPER.getByName("keeper");
}

/** Tells the keeper of a new object. Never throws: only a restore of D1 needs it. @param object see `Keeper.created` */
export async function noteMade(env: Pick<Env, "KEEPER">, object: string): Promise<void> {
  await keeperStub(env)
    .created(object)
    .catch((error: unknown) => log("warning", "object-not-called", { detail: `${object}: ${String(error)}` }));
}
