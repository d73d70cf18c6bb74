import type { TerminalResult } from "./frames.ts";
import type { TransactionRequest } from "../../../protocol/frames.ts";

/** A request that the terminal keeps until the ack of its 00 or 11. */
export interface HeldRequest {
  request: TransactionRequest;
  /** A request that is `at-host` may have reached card or host. The stage is stored before that, and never reverted. */
  stage: "accepted" | "at-host";
  /** A 22 may still be replaced, 00 and 11 never. */
  result: TerminalResult | null;
  /** It is true only for a 22: after the ack of a 00 or 11 the request is forgotten. */
  acknowledged: boolean;
}

/** The only terminal and gateway that a memory may be used for: `requestId` means another payment anywhere else. */
export interface MemoryOwner {
  terminalId: string;
  /** The gateway's address, as the client uses it. */
  gateway: string;
}

/** Everything that must survive a restart, as plain JSON. */
export interface TerminalMemory extends MemoryOwner {
  /** A random id, created with the store: from a new id, the gateway sees that the memory was lost. */
  memory: string;
  highestAccepted: string | null;
  /** The requests in the order of acceptance. */
  held: HeldRequest[];
}

/** Belongs to one terminal and one process at a time. */
export interface TerminalStore {
  /** The last saved memory, complete; null if none was saved. */
  load(): Promise<TerminalMemory | null>;
  /** Resolves when `memory` would survive a power cut. After a rejection, the store has the earlier memory or this one. */
  save(memory: TerminalMemory): Promise<void>;
  /** After this, another client may load the memory. */
  close?(): Promise<void>;
}

/** For tests, and for virtual terminals that may lose their memory. */
export class MemoryStore implements TerminalStore {
  #saved: string | null = null;

  async load(): Promise<TerminalMemory | null> {
    return this.#saved === null ? null : JSON.parse(this.#saved);
  }

  async save(memory: TerminalMemory): Promise<void> {
    this.#saved = JSON.stringify(memory);
  }
}

/** Changes one step at a time. Each step is durable before it takes effect. */
export class DurableMemory {
  readonly #store: TerminalStore;
  #current: TerminalMemory;
  #steps: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(store: TerminalStore, current: TerminalMemory) {
    this.#store = store;
    this.#current = current;
  }

  /**
   * Loads the memory, or creates one that belongs to `owner` from now on.
   *
   * @throws Error with what to do, if the memory belongs to another terminal or gateway
   */
  static async open(store: TerminalStore, owner: MemoryOwner): Promise<DurableMemory> {
    const saved = await store.load();
    if (saved !== null) {
      checkOwner(saved, owner);
      return new DurableMemory(store, saved);
    }
    const fresh: TerminalMemory = { ...owner, memory: crypto.randomUUID(), highestAccepted: null, held: [] };
    await store.save(fresh);
    return new DurableMemory(store, fresh);
  }

  get current(): TerminalMemory {
    return this.#current;
  }

  /** Stores the result of `step` when its turn comes. If the store fails, rejects, and nothing has changed. */
  change<T extends { memory: TerminalMemory }>(step: (memory: TerminalMemory) => T): Promise<T> {
    const turn = this.#steps.then(async () => {
      if (this.#closed) throw new Error("the terminal was stopped, and another client may use its store now");
      const made = step(this.#current);
      if (made.memory !== this.#current) {
        await this.#store.save(made.memory);
        this.#current = made.memory;
      }
      return made;
    });
    this.#steps = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    await this.#steps;
    this.#closed = true;
    await this.#store.close?.();
  }

  /** Resolves when no write is in progress. */
  async saved(): Promise<void> {
    await this.#steps;
  }
}

/** I2: under another id or gateway, an empty `open` of this memory would make the gateway report a false 11. */
function checkOwner(saved: MemoryOwner, { terminalId, gateway }: MemoryOwner): void {
  if (saved.terminalId === terminalId && saved.gateway === gateway) return;
  throw new Error(
    `The store belongs to terminal ${saved.terminalId} at ${saved.gateway}, not to ${terminalId} at ${gateway}. ` +
      "Give this terminal a store of its own. If the same gateway has a new address, change gateway in the store.",
  );
}
