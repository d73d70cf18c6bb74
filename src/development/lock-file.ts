/** Locks between processes: a file with the number of the process that holds it. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Result, err, ok } from "../result.ts";

export interface LockHolder {
  pid: number;
  /** What it wrote beside its number; empty where it wrote nothing. */
  note: string;
}

const TRIES = 3;

/** Locks of this very process. A file that names it without being here is from an earlier process of the same number. */
const held = new Set<string>();

/**
 * Takes the lock at `path` and leaves `note` for others to read. Returns what releases it, or who holds it; null where
 * several processes take it over from each other at this moment.
 *
 * A killed process leaves its file behind. The next one sees that no such process runs and takes the lock over.
 */
export function takeLock(path: string, note = ""): Result<() => void, LockHolder | null> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A link appears under its name with its whole content: nobody reads a file without a number.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, note === "" ? String(process.pid) : `${process.pid}\n${note}`, { mode: 0o600 });
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      if (isLinked(draft, path)) {
        held.add(path);
        return ok(() => release(path));
      }
      const holder = readLock(path);
      if (holder !== null && isHolding(path, holder)) return err(holder);
      clearStale(path, holder);
    }
    return err(null);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Who holds the lock at `path`, or held it last; null where there is no such file, or nothing of ours in it. */
export function readLock(path: string): LockHolder | null {
  try {
    const [pid, ...note] = readFileSync(path, "utf8").split("\n");
    return Number(pid) > 0 ? { pid: Number(pid), note: note.join("\n") } : null;
  } catch {
    return null;
  }
}

/** Whether the process that holds the lock still runs. */
export function isHolding(path: string, { pid }: LockHolder): boolean {
  if (pid === process.pid) return held.has(path);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process.
    return codeOf(error) === "EPERM";
  }
}

function isLinked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Moves a stale file away. What another process has put in its place meanwhile is put back. */
function clearStale(path: string, stale: LockHolder | null): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    const moved = readLock(aside);
    if (moved !== null && moved.pid !== stale?.pid) isLinked(aside, path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function release(path: string): void {
  held.delete(path);
  rmSync(path, { force: true });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
