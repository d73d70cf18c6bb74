/**
 * Records running and interrupted simulations: a lock file for each, created before anything is set up and deleted
 * after everything is removed. The file of a killed process tells the next run what to remove.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isHolding, readLock, takeLock } from "../../command-line/lock-file.ts";

const SUFFIX = ".simulation";

/** Records a simulation of this process. Returns a function that deletes the record. */
export function takeNote(folder: string, prefix: string): () => void {
  const taken = takeLock(join(folder, prefix + SUFFIX), prefix);
  // The prefix is random, so nobody else takes it.
  if (!taken.ok) throw new Error(`${prefix} is taken.`);
  return taken.value;
}

/** The prefixes of simulations whose processes ended without removing what they had set up. */
export function leftBehind(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .filter((name) => {
      const holder = readLock(join(folder, name));
      return holder === null || !isHolding(join(folder, name), holder);
    })
    .map((name) => name.slice(0, -SUFFIX.length));
}

export function deleteNote(folder: string, prefix: string): void {
  rmSync(join(folder, prefix + SUFFIX), { force: true });
}
