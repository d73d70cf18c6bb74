import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "../settings.ts";

/**
 * Claims a terminal's files for this process: two with one memory would carry out one request twice. A process that was
 * killed leaves its lock behind; the next one sees that it is gone. Returns what gives the lock back.
 */
export function lock(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (let tries = 0; tries < 3; tries++) {
    try {
      const file = openSync(path, "wx", 0o600);
      writeSync(file, String(process.pid));
      closeSync(file);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (!isFileExists(error)) throw error;
    }
    const holder = holderOf(path);
    if (holder !== null && isAlive(holder)) {
      throw new UsageError(`Process ${holder} runs this terminal already; if that is not so, delete ${path}.`);
    }
    rmSync(path, { force: true });
  }
  throw new UsageError(`${path} cannot be claimed: another process does so at the same time.`);
}

function holderOf(path: string): number | null {
  try {
    return Number(readFileSync(path, "utf8")) || null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one, too.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function isFileExists(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
