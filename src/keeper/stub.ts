import type { KeeperCalls } from "./calls.ts";

/** The keeper's object. A stub that threw is broken: get a new one for every attempt (`terminal/stub.ts`). */
export function keeperStub(env: Pick<Env, "KEEPER">): KeeperCalls {
  return env.KEEPER.getByName("keeper");
}
