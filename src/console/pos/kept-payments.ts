import { answerOf, committed, openStore } from "../../client/indexed-db.ts";
import type { TransferRequests } from "../../client/pos.ts";
import type { TransferType } from "../../protocol/transfer-types.ts";
import type { Message } from "./messages.ts";

/** A call of a till, as the form creates it and the client sends it. */
export type Call = { [Type in TransferType]: { transType: Type; request: TransferRequests[Type] } }[TransferType];

/** The same text for the same transaction, however often it is sent. */
export function callKey({ transType, request }: Call): string {
  return JSON.stringify([transType, request]);
}

/** A payment with an unknown outcome, as it is stored: enough to ask about it and to show what was sent. */
export interface OpenPayment {
  call: Call;
  wait: number | undefined;
  /** Epoch milliseconds. */
  begun: number;
  messages: Message[];
}

const PAYMENTS = "payments";

/**
 * Where a till stores its open payments, so that after a restart it knows which references to ask about: in IndexedDB, without any token, password or key (I6). If the browser stores nothing, the till sells
 * all the same, and open payments are lost with the page.
 */
export class KeptPayments {
  readonly #name: string;
  #database: Promise<IDBDatabase> | null = null;

  /** `name`: of the database; each account has its own. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The oldest first. */
  async load(): Promise<OpenPayment[]> {
    const found = await this.#do("readonly", async (store) => answerOf<OpenPayment[]>(store.getAll()));
    return (found ?? []).toSorted((one, other) => one.begun - other.begun);
  }

  /** Resolves when the payment is stored durably. */
  async keep({ call, wait, begun, messages }: OpenPayment): Promise<void> {
    const payment: OpenPayment = { call, wait, begun, messages };
    await this.#do("readwrite", async (store) => {
      store.put(payment, callKey(call));
      await committed(store.transaction);
    });
  }

  /** Called when the outcome is known or the gateway has refused the payment. */
  async drop(call: Call): Promise<void> {
    await this.#do("readwrite", async (store) => {
      store.delete(callKey(call));
      await committed(store.transaction);
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
