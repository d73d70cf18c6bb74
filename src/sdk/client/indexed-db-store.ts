import { awaitRequest, waitForCommit, openStore } from "./indexed-db.ts";
import type { TerminalMemory, TerminalStore } from "./terminal/memory.ts";
import { SECOND } from "../../protocol/time/units.ts";

/** A browser tab that was closed or reloaded releases its lock on a terminal's memory within this time. */
const TAB_LEAVES_WITHIN = 3 * SECOND;

const RECORDS = "memory";
const KEY = "current";

/**
 * A terminal's memory in IndexedDB, for browsers: one database per terminal. Each save is one transaction with strict
 * durability, so that a crash leaves the complete memory from before or after it.
 *
 * Only one tab can use it at a time, because two terminals with one memory would process a request twice: in a second
 * tab, `load` rejects. A browser short of space may delete a page's data: call `navigator.storage.persist()` first. The
 * gateway treats lost requests as unconfirmed.
 */
export class IndexedDbStore implements TerminalStore {
  readonly #name: string;
  #database: Promise<IDBDatabase> | null = null;
  #lock: { leaving: AbortController; released: Promise<unknown> } | null = null;

  /** `name`: the database's name, unique for each terminal. */
  constructor(name: string) {
    this.#name = name;
  }

  async load(): Promise<TerminalMemory | null> {
    await this.#claim();
    const database = await this.#open();
    const saved = database.transaction(RECORDS, "readonly").objectStore(RECORDS).get(KEY);
    const text: unknown = await awaitRequest(saved);
    return typeof text === "string" ? JSON.parse(text) : null;
  }

  async save(memory: TerminalMemory): Promise<void> {
    const database = await this.#open();
    const transaction = database.transaction(RECORDS, "readwrite", { durability: "strict" });
    transaction.objectStore(RECORDS).put(JSON.stringify(memory), KEY);
    await waitForCommit(transaction);
  }

  /** Releases the memory for another tab. */
  async close(): Promise<void> {
    const database = this.#database;
    this.#database = null;
    (await database)?.close();
    const lock = this.#lock;
    this.#lock = null;
    lock?.leaving.abort();
    await lock?.released;
  }

  /** I1: holds the memory's lock until `close`, or until the page is closed. */
  async #claim(): Promise<void> {
    if (this.#lock !== null) return;
    // A page that was just left or reloaded releases its lock a moment later.
    const signal = AbortSignal.timeout(TAB_LEAVES_WITHIN);
    const leaving = new AbortController();
    const held = new Promise<void>((resolve) => leaving.signal.addEventListener("abort", () => resolve()));
    await new Promise<void>((claimed, failed) => {
      const released = navigator.locks.request(`terminal memory ${this.#name}`, { signal }, () => {
        claimed();
        return held;
      });
      released.catch((error: unknown) => {
        failed(signal.aborted ? new Error(`another page of this browser uses the memory "${this.#name}"`) : error);
      });
      this.#lock = { leaving, released };
    }).catch((error: unknown) => {
      this.#lock = null;
      throw error;
    });
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= this.#openOnce().catch((error: unknown) => {
      // The next call tries again.
      this.#database = null;
      throw error;
    });
    return this.#database;
  }

  async #openOnce(): Promise<IDBDatabase> {
    const database = await openStore(this.#name, RECORDS);
    // The browser closes it if the user clears the page's data or the disk fails.
    database.addEventListener("close", () => (this.#database = null));
    return database;
  }
}
