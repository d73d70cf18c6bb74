import type { AccountCalls } from "./calls.ts";
import type { Region } from "./region.ts";

export type AccountStub = Pick<DurableObjectStub, "fetch"> & AccountCalls;

/**
 * An account's object by its posId. A stub that threw is broken
 * (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/): get a new one for every attempt.
 *
 * `terminal/stub.ts` explains why the type is the object's own interface.
 *
 * @param near the region for a new object; ignored for one that exists
 *   (https://developers.cloudflare.com/durable-objects/reference/data-location/)
 */
export function accountStub(env: Env, posId: string, near?: Region): AccountStub {
  const namespace = env.ACCOUNT as unknown as {
    getByName: (name: string, options?: { locationHint: DurableObjectLocationHint }) => AccountStub;
  };
  return near === undefined ? namespace.getByName(posId) : namespace.getByName(posId, { locationHint: near });
}
