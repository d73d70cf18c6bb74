import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { FileLock } from "./file-lock.ts";
import type { TerminalMemory, TerminalStore } from "./terminal/memory.ts";

/**
 * A terminal's memory in one file, for Node. Each save writes and syncs a second file and renames it over the first, so
 * that a power cut leaves one of them complete. Windows cannot sync a folder, so a power cut may undo the rename: use
 * another store there.
 *
 * Only one process can use it at a time, because two terminals with one memory would process a request twice: in a second
 * process, or for a second store of this one, `load` rejects until the first is closed or its process has ended, in
 * whatever way (see `FileLock`). The file must be on a disk of this machine.
 */
export class FileStore implements TerminalStore {
  readonly #path: string;
  readonly #lock: FileLock;

  constructor(path: string) {
    this.#path = path;
    this.#lock = new FileLock(path);
  }

  /** @throws Error while another process uses the file */
  async load(): Promise<TerminalMemory | null> {
    await mkdir(dirname(this.#path), { recursive: true });
    await this.#lock.take();
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

  /** Releases the file for another process. */
  async close(): Promise<void> {
    await this.#lock.release();
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
