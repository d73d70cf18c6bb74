/** A D1 that does not answer: somebody else holds the lock of its file. And a full disk: the process can write no byte more. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Gateway } from "../gateway/gateway.ts";

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

const run = promisify(execFile);

/** Why this machine cannot do it; null: it can. */
export async function whyNoFullDisk(): Promise<string | null> {
  return Promise.all([run("prlimit", ["--version"]), run("pgrep", ["--version"])]).then(
    () => null,
    () => "there is no prlimit, which only Linux has (package util-linux), or no pgrep (package procps)",
  );
}

/** Returns what makes room again. */
export async function fillDisk({ runtimes }: Gateway): Promise<() => Promise<void>> {
  if (runtimes.length === 0) throw new Error("the gateway does not run");
  // The soft limit: without privileges, a hard one could not be raised again.
  const limit = async (bytes: string): Promise<unknown> =>
    Promise.all(runtimes.map(async (pid) => run("prlimit", ["--pid", pid, `--fsize=${bytes}:unlimited`])));
  await limit("0");
  return async () => {
    // A process that did not survive it has no limit any more.
    await limit("unlimited").catch(() => undefined);
  };
}
