import type { CallsOf } from "./account.ts";
import { log } from "../outcomes/log.ts";

/** Transaction numbers that belong to one terminal, both ends included. */
export interface NumberBlock {
  first: number;
  last: number;
}

export type KeeperStub = Pick<CallsOf<Env["KEEPER"]>, "created" | "reserveNumbers" | "retell" | "tick">;

/** The keeper's object. A stub that threw is broken: get a new one for every attempt (`rpc/terminal.ts`). */
export function keeperStub(env: Pick<Env, "KEEPER">): KeeperStub {
  return env.KEEPER.getByName("keeper");
}

/** The keeper must know what was made lately. Never fails: only a restore of D1 needs it. @param object see `Keeper.created` */
export async function noteMade(env: Pick<Env, "KEEPER">, object: string): Promise<void> {
  await keeperStub(env)
    .created(object)
    .catch((error: unknown) => log("warning", "object-not-called", { detail: `${object}: ${String(error)}` }));
}
