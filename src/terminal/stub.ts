import type { TerminalManagement } from "./calls.ts";
import type { TransferCalls } from "./transfer-calls.ts";

export type TerminalStub = Pick<DurableObjectStub, "fetch"> & TerminalManagement & TransferCalls;

/**
 * A terminal's object, by its terminalId. A stub that threw is broken
 * (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/): take a new one for every try.
 *
 * The generated stub type maps every argument through the types of Workers RPC, which does not end for JSON; what crosses
 * here is plain data, so the object's own interfaces say the same.
 */
export function terminalStub(env: Env, terminalId: string): TerminalStub {
  const namespace = env.TERMINAL as unknown as { getByName: (name: string) => TerminalStub };
  return namespace.getByName(terminalId);
}
