/** A D1 that does not answer: somebody else holds the lock of its file. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

/** The gateway's own writes may hold the lock. */
const MOST_TRIES = 200;

/** Returns what releases the lock. */
export async function lockDatabase(dataFolder: string): Promise<() => void> {
  const folder = join(dataFolder, "v3", "d1", "miniflare-D1DatabaseObject");
  const name = (await readdir(folder)).find((file) => file.endsWith(".sqlite") && file !== "metadata.sqlite");
  if (name === undefined) throw new Error(`there is no database in ${folder}`);
  const database = new DatabaseSync(join(folder, name));
  for (let tries = 1; !isLocked(database); tries++) {
    if (tries === MOST_TRIES) throw new Error("the database is always in use");
    await delay(50);
  }
  return () => {
    database.exec("ROLLBACK");
    database.close();
  };
}

/** Does not wait: SQLite would wait for everybody in this process. */
function isLocked(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch {
    return false;
  }
}
