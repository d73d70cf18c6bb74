import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { Ledger, type LedgerEntry } from "./ledger.ts";

/**
 * Keeps the ledger as JSON lines, for Node. An entry is on disk before it counts, so a killed terminal finds the truth
 * when it restarts. It is synchronous, so that nothing can happen between reading the ledger and writing the entry.
 */
export function openLedger(path: string): Ledger {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const file = openSync(path, "a+", 0o600);
  const text = readFileSync(file, "utf8");
  // An incomplete line never counted, because no result was sent for it.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  let size = Buffer.byteLength(whole);
  ftruncateSync(file, size);
  fsyncSync(file);
  syncFolder(folder);
  const entries = whole.split("\n").flatMap((line): LedgerEntry[] => (line === "" ? [] : [JSON.parse(line)]));
  return new Ledger(entries, (entry) => {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    try {
      writeSync(file, line);
      fsyncSync(file);
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    }
    size += line.length;
  });
}

/** A new file's name is durable only after its folder is synced. Windows cannot sync a folder. */
function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  fsyncSync(folder);
  closeSync(folder);
}
