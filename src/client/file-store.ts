import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { TerminalMemory, TerminalStore } from "./terminal/memory.ts";

/**
 * A terminal's memory in one file, for Node. Each save writes and syncs a second file and renames it over the first, so
 * that a power cut leaves one of them complete. Windows cannot sync a folder, so a power cut may undo the rename: use
 * another store there.
 */
export class FileStore implements TerminalStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async load(): Promise<TerminalMemory | null> {
    let text: string;
    try {
      text = await readFile(this.#path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
      throw error;
    }
    return JSON.parse(text);
  }

  async save(memory: TerminalMemory): Promise<void> {
    const folder = dirname(this.#path);
    await mkdir(folder, { recursive: true });
    const next = `${this.#path}.next`;
    await writeDurably(next, JSON.stringify(memory));
    await rename(next, this.#path);
    await syncFolder(folder);
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename is durable only after its folder is synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
