import type { TerminalResult } from "./frames.ts";
import type { TransactionRequest } from "../../protocol/frames.ts";

/** One accepted request, until the ack of its 00 or 11. */
export interface HeldRequest {
  request: TransactionRequest;
  /** `at-host`: it may have reached card or host. Written before going on to them, never taken back. */
  stage: "accepted" | "at-host";
  /** The outcome as far as it is known; a 22 may still be replaced, 00 and 11 never. */
  result: TerminalResult | null;
  /** The gateway has acknowledged this very result. True only of a 22: the ack of a 00 or 11 ends the holding. */
  acknowledged: boolean;
}

/** Everything a terminal must not forget over a restart. A plain JSON value. */
export interface TerminalMemory {
  /** A random id, drawn when the store was created: another id tells the gateway that memory was lost. */
  memory: string;
  /** The highest requestId ever accepted, held or not. */
  highestAccepted: string | null;
  /** In the order of acceptance. */
  held: HeldRequest[];
}

/** Where a terminal keeps its memory. One store belongs to one terminal and one process at a time. */
export interface TerminalStore {
  /** What was saved last, whole; null when nothing ever was. */
  load(): Promise<TerminalMemory | null>;
  /** Resolves when `memory` would survive a power cut; after a rejection the earlier one, or this one, is there. */
  save(memory: TerminalMemory): Promise<void>;
  /** The terminal was stopped: another client may load it from now on. */
  close?(): Promise<void>;
}

/** A store for tests and for virtual terminals that may lose their memory: gone with the object. */
export class MemoryStore implements TerminalStore {
  #saved: string | null = null;

  async load(): Promise<TerminalMemory | null> {
    return this.#saved === null ? null : JSON.parse(this.#saved);
  }

  async save(memory: TerminalMemory): Promise<void> {
    this.#saved = JSON.stringify(memory);
  }
}

/** The memory of a running terminal: changed one step at a time, each step durable before it shows. */
export class DurableMemory {
  readonly #store: TerminalStore;
  #current: TerminalMemory;
  #steps: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(store: TerminalStore, current: TerminalMemory) {
    this.#store = store;
    this.#current = current;
  }

  /** Opens what `store` holds, or begins a new memory in it. */
  static async open(store: TerminalStore): Promise<DurableMemory> {
    const saved = await store.load();
    if (saved !== null) return new DurableMemory(store, saved);
    const fresh: TerminalMemory = { memory: crypto.randomUUID(), highestAccepted: null, held: [] };
    await store.save(fresh);
    return new DurableMemory(store, fresh);
  }

  get current(): TerminalMemory {
    return this.#current;
  }

  /**
   * Runs `step` on the memory as it is when its turn comes, and stores what it returns. Resolves to what the step made
   * of it. Rejects when the store fails; then nothing has changed.
   */
  change<T extends { memory: TerminalMemory }>(step: (memory: TerminalMemory) => T): Promise<T> {
    const turn = this.#steps.then(async () => {
      if (this.#closed) throw new Error("the terminal was stopped; its store may be another client's now");
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

  /** Ends all changes: what comes later is rejected, so that the store can be handed to another client. */
  async close(): Promise<void> {
    await this.#steps;
    this.#closed = true;
    await this.#store.close?.();
  }

  /** Resolves when no storing is in progress. */
  async settled(): Promise<void> {
    await this.#steps;
  }
}
