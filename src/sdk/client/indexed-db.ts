/** Increase it when a store changes. */
const VERSION = 1;

export function awaitRequest<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB failed")));
  });
}

export function openStore(name: string, store: string, parameters?: IDBObjectStoreParameters): Promise<IDBDatabase> {
  const opening = indexedDB.open(name, VERSION);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(store, parameters));
  return awaitRequest(opening);
}

/** Resolves when `transaction` is durable. Rejects if it had no effect. */
export function waitForCommit(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error ?? new Error("the save was aborted")));
  });
}
