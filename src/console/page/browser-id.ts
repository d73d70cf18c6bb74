import { answerOf, committed, openStore } from "../../client/indexed-db.ts";

const IDS = "ids";
const KEY = "browser";

/**
 * A random id (a UUID) by which the demo recognises this browser. It is not a secret. IndexedDB stores it beside the
 * terminal's memory, so both are deleted together. A browser that stores nothing is a new one each time.
 */
export async function browserId(): Promise<string> {
  const fresh = crypto.randomUUID();
  try {
    const database = await openStore("console", IDS);
    const transaction = database.transaction(IDS, "readwrite");
    const store = transaction.objectStore(IDS);
    // In one transaction: two tabs that open at once are one browser.
    const known = await answerOf<string | undefined>(store.get(KEY));
    if (known === undefined) store.put(fresh, KEY);
    await committed(transaction);
    database.close();
    return known ?? fresh;
  } catch {
    return fresh;
  }
}
