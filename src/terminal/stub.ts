import type { TerminalManagement } from "./calls.ts";
import type { TransferCalls } from "./transfer-calls.ts";

export type TerminalStub = Pick<DurableObjectStub, "fetch"> & TerminalManagement & TransferCalls;

/**
 * A terminal's object by its terminalId. A stub that threw is broken
 * (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/): get a new one for every attempt.
 *
 * The generated stub type maps every argument through the types of Workers RPC, which does not terminate for JSON. Only
 * plain data crosses here, so the object's own interfaces describe it exactly.
 */
export function terminalStub(env: Env, terminalId: string): TerminalStub {
  const namespace = env.TERMINAL as unknown as { getByName: (name: string) => TerminalStub };
  return namespace.getByName(terminalId);
}
