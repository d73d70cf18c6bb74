import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Result, err, ok } from "../../protocol/result.ts";
import { UsageError } from "./invocation.ts";
import { codeOf } from "./private-file.ts";

interface LockHolder {
  pid: number;
  /** The holder's note, empty if it left none. */
  note: string;
}

const TRIES = 3;

/**
 * The paths that this process holds. A file with this process's id that is not listed here is from an earlier process
 * with the same id.
 */
const held = new Set<string>();

/**
 * Takes the lock at `path` and writes `note` for others. Returns a function that releases the lock, or the holder; null
 * if several processes compete for the lock right now. Takes over the lock of a killed process, which leaves its file
 * behind.
 */
export function takeLock(path: string, note = ""): Result<() => void, LockHolder | null> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A link appears with its whole content, so nobody reads a file without an id.
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

/** The current or last holder; null without a valid file. */
export function readLock(path: string): LockHolder | null {
  try {
    const [pid, ...note] = readFileSync(path, "utf8").split("\n");
    return Number(pid) > 0 ? { pid: Number(pid), note: note.join("\n") } : null;
  } catch {
    return null;
  }
}

export function isHolding(path: string, { pid }: LockHolder): boolean {
  if (pid === process.pid) return held.has(path);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process is another user's.
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

/** Restores a file that another process has put in the stale file's place meanwhile. */
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

/**
 * Locks a terminal's files: two processes with one memory would process a request twice. Returns a function that
 * releases the lock. Throws a UsageError while another process holds it.
 */
export function lock(path: string): () => void {
  const taken = takeLock(path);
  if (taken.ok) return taken.value;
  const { error: holder } = taken;
  if (holder === null) throw new UsageError(`Cannot lock ${path}: another process is locking it. Try again.`);
  throw new UsageError(`Process ${holder.pid} already runs this terminal. If it does not, delete ${path}.`);
}
