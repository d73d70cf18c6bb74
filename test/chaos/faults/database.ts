/** A D1 that does not answer: somebody else holds the lock of its file. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Returns what releases the lock. */
export async function lockDatabase(dataFolder: string): Promise<() => void> {
  const folder = join(dataFolder, "v3", "d1", "miniflare-D1DatabaseObject");
  const name = (await readdir(folder)).find((file) => file.endsWith(".sqlite") && file !== "metadata.sqlite");
  if (name === undefined) throw new Error(`there is no database in ${folder}`);
  const database = new DatabaseSync(join(folder, name));
  database.exec("PRAGMA busy_timeout = 5000");
  database.exec("BEGIN EXCLUSIVE");
  return () => {
    database.exec("ROLLBACK");
    database.close();
  };
}
