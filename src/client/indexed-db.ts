/** What IndexedDB tells by events, as promises. */

/** No store has ever been changed. */
const VERSION = 1;

/** Resolves to what was asked for. */
export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB failed")));
  });
}

/**
 * Opens a database that holds one store, which is made where it is not there yet.
 *
 * @param parameters of the store, where it is to have any
 */
export function openStore(name: string, store: string, parameters?: IDBObjectStoreParameters): Promise<IDBDatabase> {
  const opening = indexedDB.open(name, VERSION);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(store, parameters));
  return answerOf(opening);
}

/** Resolves when all of `transaction` is done, with its durability; rejects when none of it is. */
export function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error ?? new Error("the save was aborted")));
  });
}
