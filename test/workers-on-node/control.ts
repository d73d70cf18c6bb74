/** `cloudflare:test` on Node. */
import type { MemoryContext } from "./front-door.ts";
import { everyObject, objectOf } from "./objects.ts";

export { executionContext as createExecutionContext } from "./front-door.ts";
export { reset } from "./reset.ts";

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

export function waitOnExecutionContext(context: MemoryContext): Promise<void> {
  return context.ended();
}

export function createScheduledController({ scheduledTime = new Date(), cron = "" } = {}): ScheduledController {
  return { scheduledTime: Number(scheduledTime), cron, noRetry: () => undefined };
}

/** The tables are made when they are first needed. */
export async function applyD1Migrations(): Promise<void> {}
