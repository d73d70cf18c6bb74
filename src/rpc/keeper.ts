import { log } from "../outcomes/log.ts";

/** Transaction numbers that belong to one terminal, both ends included. */
export interface NumberBlock {
  first: number;
  last: number;
}

/** The calls to the keeper's object. */
export interface KeeperCalls {
  /**
   * Reserves the next block of transaction numbers. No number is ever given out twice.
   *
   * @param size how many numbers
   * @param above every number of the block is higher than this one
   * @returns null: the service has no such numbers left
   */
  reserveNumbers(size: number, above: number): Promise<NumberBlock | null>;
  /** An object with this name (`account:` or `terminal:`, and its id) is made: D1 may be restored to an earlier time. */
  created(object: string): Promise<void>;
  /**
   * An object has found that D1 lacks what it had confirmed: all objects tell it again, unless the keeper has noticed that.
   * Rejects if D1 fails or does not answer.
   *
   * @param found the generation of that D1; null: an operator wants it, whatever the keeper knows
   */
  retell(found: string | null): Promise<void>;
  /** Looks whether D1 was restored to an earlier time. Rejects if D1 fails or does not answer. */
  tick(): Promise<void>;
}

/** The keeper's object. A stub that threw is broken: get a new one for every attempt (`rpc/terminal.ts`). */
export function keeperStub(env: Pick<Env, "KEEPER">): KeeperCalls {
  return env.KEEPER.getByName("keeper");
}

/** The keeper must know what was made lately. Never fails: only a restore of D1 needs it. @param object see `KeeperCalls` */
export async function noteMade(env: Pick<Env, "KEEPER">, object: string): Promise<void> {
  await keeperStub(env)
    .created(object)
    .catch((error: unknown) => log("warning", "object-not-called", { detail: `${object}: ${String(error)}` }));
}
