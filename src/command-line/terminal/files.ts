import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";

/** A simulated terminal's files: one set per gateway and terminal. */
export interface TerminalFiles {
  memory: string;
  ledger: string;
  secret: string;
  lock: string;
}

export function filesOf(folder: string, terminalId: string): TerminalFiles {
  const path = (ending: string): string => join(folder, `${terminalId}.${ending}`);
  return { memory: path("memory.json"), ledger: path("ledger.jsonl"), secret: path("secret"), lock: path("lock") };
}

/**
 * Moves memory and ledger away: the terminal was enrolled in another database, whose request numbers its old memory would
 * refuse as too low.
 */
export async function putAside({ memory, ledger }: TerminalFiles): Promise<void> {
  for (const path of [memory, ledger]) {
    if (existsSync(path)) await rename(path, `${path}.${Date.now()}.old`);
  }
}
