import { log } from "../outcomes/log.ts";
import type { KeeperCalls } from "./calls.ts";

/** The keeper's object. A stub that threw is broken: get a new one for every attempt (`terminal/stub.ts`). */
export function keeperStub(env: Pick<Env, "KEEPER">): KeeperCalls {
  return env.KEEPER.getByName("keeper");
}

/** The keeper must know what was made lately. Never fails: only a restore of D1 needs it. @param object see `KeeperCalls` */
export async function noteMade(env: Pick<Env, "KEEPER">, object: string): Promise<void> {
  await keeperStub(env)
    .created(object)
    .catch((error: unknown) => log("warning", "object-not-called", { detail: `${object}: ${String(error)}` }));
}
