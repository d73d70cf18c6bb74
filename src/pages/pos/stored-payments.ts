import { awaitRequest, waitForCommit, openStore } from "../../sdk/client/indexed-db.ts";
import { callKey, type PageTransfer, type OpenPayment, type OpenPayments } from "./call.ts";

const PAYMENTS = "payments";

/**
 * Open payments in IndexedDB, without any token, password or key (I6). If the browser stores nothing, the POS still
 * sells, and open payments are lost with the page.
 */
export class StoredPayments implements OpenPayments {
  readonly #name: string;
  #database: Promise<IDBDatabase> | null = null;

  /** `name`: of the database; one for each account. */
  constructor(name: string) {
    this.#name = name;
  }

  async load(): Promise<OpenPayment[]> {
    const found = await this.#do("readonly", async (store) => awaitRequest<OpenPayment[]>(store.getAll()));
    return (found ?? []).toSorted((one, other) => one.begun - other.begun);
  }

  async keep({ call, wait, begun, messages }: OpenPayment): Promise<void> {
    const payment: OpenPayment = { call, wait, begun, messages };
    await this.#do("readwrite", async (store) => {
      store.put(payment, callKey(call));
      await waitForCommit(store.transaction);
    });
  }

  async drop(call: PageTransfer): Promise<void> {
    await this.#do("readwrite", async (store) => {
      store.delete(callKey(call));
      await waitForCommit(store.transaction);
    });
  }

  /** Undefined if the browser stores nothing. */
  async #do<Found>(
    mode: IDBTransactionMode,
    step: (store: IDBObjectStore) => Promise<Found>,
  ): Promise<Found | undefined> {
    try {
      const database = await (this.#database ??= openStore(this.#name, PAYMENTS));
      return await step(database.transaction(PAYMENTS, mode).objectStore(PAYMENTS));
    } catch {
      this.#database = null;
      return undefined;
    }
  }
}
