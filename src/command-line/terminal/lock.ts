import { takeLock } from "../../development/lock-file.ts";
import { UsageError } from "../settings.ts";

/**
 * Locks a terminal's files for this process: two processes with one memory would process a request twice. Returns a function
 * that releases the lock. Throws a UsageError while another process holds it.
 */
export function lock(path: string): () => void {
  const taken = takeLock(path);
  if (taken.ok) return taken.value;
  const { error: holder } = taken;
  if (holder === null) throw new UsageError(`Cannot lock ${path}: another process is locking it. Try again.`);
  throw new UsageError(`Process ${holder.pid} already runs this terminal. If it does not, delete ${path}.`);
}
