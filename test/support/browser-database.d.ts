/**
 * What `src/sdk/client/indexed-db.ts` and its store use of a browser: the tests' types are those of the Workers runtime, which has
 * no database of this kind.
 */
interface IDBRequest<T = unknown> extends EventTarget {
  readonly result: T;
  readonly error: Error | null;
}

interface IDBObjectStoreParameters {
  keyPath?: string;
}

interface IDBObjectStore {
  get(key: string): IDBRequest;
  put(value: unknown, key: string): IDBRequest;
}

interface IDBTransaction extends EventTarget {
  readonly error: Error | null;
  objectStore(name: string): IDBObjectStore;
}

interface IDBDatabase extends EventTarget {
  createObjectStore(name: string, parameters?: IDBObjectStoreParameters): IDBObjectStore;
  transaction(store: string, mode: "readonly" | "readwrite", options?: { durability?: "strict" }): IDBTransaction;
  close(): void;
}

declare const indexedDB: { open(name: string, version: number): IDBRequest<IDBDatabase> };

interface Navigator {
  readonly locks: {
    request(name: string, options: { signal: AbortSignal }, work: () => unknown): Promise<unknown>;
  };
}
