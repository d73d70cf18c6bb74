/** `cloudflare:test` on Node. */
import { Account } from "../../src/account/account.ts";
import { Keeper } from "../../src/keeper/keeper.ts";
import { Terminal } from "../../src/terminal/terminal.ts";
import { everyObject, objectOf, registerClass } from "./objects.ts";

export { reset } from "./reset.ts";

registerClass("Account", Account);
registerClass("Keeper", Keeper);
registerClass("Terminal", Terminal);

export async function runInDurableObject<T>(
  stub: unknown,
  work: (object: object, context: unknown) => T | Promise<T>,
): Promise<T> {
  const { object, context } = await objectOf(stub).running();
  return work(object, context);
}

export async function runDurableObjectAlarm(stub: unknown): Promise<boolean> {
  return objectOf(stub).ring();
}

export async function abortAllDurableObjects(): Promise<void> {
  for (const object of everyObject()) object.abort();
}

export async function evictDurableObject(stub: unknown): Promise<void> {
  await objectOf(stub).evict();
}
