/** Requests to the Worker on Node. */
import worker, { Account, Coordinator, Terminal } from "../../src/gateway/index.ts";
import { registerClass } from "./objects.ts";

registerClass("Account", Account);
registerClass("Coordinator", Coordinator);
registerClass("Terminal", Terminal);

export interface MemoryContext extends ExecutionContext {
  /** Ends with everything that a request has left to be done. */
  ended(): Promise<void>;
}

export function executionContext(): MemoryContext {
  const pending: Promise<unknown>[] = [];
  return {
    waitUntil: (work: Promise<unknown>) => void pending.push(work),
    passThroughOnException: () => undefined,
    props: {},
    ended: async () => {
      for (const work of pending) await work.catch(() => undefined);
    },
  } as unknown as MemoryContext;
}

export async function frontDoor(request: Request, env: Env): Promise<Response> {
  return worker.fetch(request, env, executionContext());
}
