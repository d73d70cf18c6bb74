/** What terminals say became of a request, and a store that a test holds up. */
import { MemoryStore, type TerminalMemory } from "../../src/sdk/client/terminal.ts";
import type { ScriptedConnection } from "./scripted-gateway.ts";

export const ID = "1000000001";

/** What its next result says. */
export async function resultOf(connection: ScriptedConnection): Promise<object> {
  const { statusCode, responseCode, responseText, transData } = await connection.frame("result");
  return JSON.parse(JSON.stringify({ statusCode, responseCode, responseText, transData })) as object;
}

/** The results of requests that were stopped before the host. */
export const STOPPED = {
  cancelled: {
    statusCode: "11",
    responseCode: "CANCELLED",
    responseText: "Cancelled at the POS before the payment started. Nothing was charged.",
  },
  late: {
    statusCode: "11",
    responseCode: "CUSTOMER_TIMEOUT",
    responseText: "The time for the payment has run out. Nothing was charged.",
  },
  off: {
    statusCode: "11",
    responseCode: "TERMINAL_STOPPED",
    responseText: "The terminal was switched off before the payment started. Nothing was charged.",
  },
};

/** A store that can be made to wait, and to fail. */
export class SlowStore extends MemoryStore {
  saves = 0;
  failing = false;
  #held: { begun: () => void; until: Promise<void> } | null = null;
  release: () => void = () => undefined;

  /** The next save waits for `release`. Resolves when it has begun. */
  hold(): Promise<void> {
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#held = { begun: begun.resolve, until: released.promise };
    this.release = released.resolve;
    return begun.promise;
  }

  override async save(memory: TerminalMemory): Promise<void> {
    this.saves += 1;
    const held = this.#held;
    this.#held = null;
    held?.begun();
    await held?.until;
    if (this.failing) throw new Error("disk full");
    await super.save(memory);
  }
}
