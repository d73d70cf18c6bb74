/** IndexedDB's events as promises. */

/** No store has ever been changed. */
const VERSION = 1;

/** Resolves to the request's result. */
export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB failed")));
  });
}

/**
 * Opens a database with one store, which is created if missing.
 *
 * @param parameters of the store
 */
export function openStore(name: string, store: string, parameters?: IDBObjectStoreParameters): Promise<IDBDatabase> {
  const opening = indexedDB.open(name, VERSION);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(store, parameters));
  return answerOf(opening);
}

/** Resolves when `transaction` is complete, with its durability. Rejects if it had no effect. */
export function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error ?? new Error("the save was aborted")));
  });
}
