import { takeLock } from "../../development/lock-file.ts";
import { UsageError } from "../settings.ts";

/**
 * Locks a terminal's files for this process: two with one memory would carry out one request twice. Returns what
 * releases the lock. Throws a UsageError while another process holds it.
 */
export function lock(path: string): () => void {
  const taken = takeLock(path);
  if (taken.ok) return taken.value;
  const { error: holder } = taken;
  if (holder === null) throw new UsageError(`${path} cannot be locked: other processes try to at the same time.`);
  throw new UsageError(`Process ${holder.pid} runs this terminal already; if that is not so, delete ${path}.`);
}
