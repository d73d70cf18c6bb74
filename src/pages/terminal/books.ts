import { awaitRequest, waitForCommit, openStore } from "../../sdk/client/indexed-db.ts";
import { Ledger, type LedgerEntry } from "../../sdk/simulator/ledger.ts";

const ENTRIES = "entries";

/**
 * The simulated host's ledger in IndexedDB, so that a payment that was at the host during a reload gets its true
 * outcome. An entry counts at once; reports of it wait for `durable`. Belongs to the page that holds the terminal's
 * memory.
 */
export class Books {
  readonly ledger: Ledger;
  readonly #database: IDBDatabase;
  #pending: LedgerEntry[] = [];
  #writing: Promise<void> = Promise.resolve();

  private constructor(database: IDBDatabase, entries: LedgerEntry[]) {
    this.#database = database;
    this.ledger = new Ledger(entries, (entry) => void this.#pending.push(entry));
  }

  static async open(name: string): Promise<Books> {
    const database = await openStore(name, ENTRIES, { autoIncrement: true });
    const entries = await awaitRequest<LedgerEntry[]>(database.transaction(ENTRIES).objectStore(ENTRIES).getAll());
    return new Books(database, entries);
  }

  /** Resolves when all earlier entries are stored durably. An entry whose write failed is written with the next one. */
  async durable(): Promise<void> {
    const turn = this.#writing.then(() => this.#write());
    this.#writing = turn.catch(() => undefined);
    await turn;
  }

  close(): void {
    this.#database.close();
  }

  async #write(): Promise<void> {
    const entries = [...this.#pending];
    if (entries.length === 0) return;
    const transaction = this.#database.transaction(ENTRIES, "readwrite", { durability: "strict" });
    for (const entry of entries) transaction.objectStore(ENTRIES).add(entry);
    await waitForCommit(transaction);
    this.#pending = this.#pending.slice(entries.length);
  }
}

export async function deleteDatabase(name: string): Promise<void> {
  await awaitRequest(indexedDB.deleteDatabase(name));
}
