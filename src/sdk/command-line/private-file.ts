/**
 * Files for secrets. Only their owner can read them, and none is read or continued that another user may have prepared.
 * Windows has neither owners nor modes here.
 */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "./invocation.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants;
/** Windows has no such flag. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/**
 * The text of a file for secrets; null if it does not exist. Throws a UsageError if it is a link, belongs to somebody
 * else, or others can read or write it: they could have put it there.
 */
export async function readPrivate(path: string): Promise<string | null> {
  try {
    return await withOwnFile(path, O_RDONLY, (file) => file.readFile("utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** Adds to a file that `readPrivate` would read, or creates it. */
export async function appendPrivate(path: string, text: string): Promise<void> {
  await withOwnFile(path, O_WRONLY | O_APPEND | O_CREAT, (file) => file.appendFile(text));
}

/** Replaces an existing file as a whole; a link itself, not the file that it leads to. */
export async function writePrivate(path: string, content: string | Uint8Array): Promise<void> {
  const draft = await writeDraft(path, content);
  await rename(draft, path).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
}

/** Writes a new file as a whole. Returns false if something has that name already. */
export async function createPrivate(path: string, content: string): Promise<boolean> {
  const draft = await writeDraft(path, content);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** In the same folder, under a name that nobody can guess: where others may write, they could prepare a known one. */
async function writeDraft(path: string, content: string | Uint8Array): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

/** Looks at the opened file, because another one may have the path by now. */
async function withOwnFile<Value>(
  path: string,
  flags: number,
  use: (file: FileHandle) => Promise<Value>,
): Promise<Value> {
  const file = await open(path, flags | O_NOFOLLOW, 0o600).catch((error: unknown) => {
    throw codeOf(error) === "ELOOP" ? new UsageError(`${path} is a link. Name a new file.`) : error;
  });
  try {
    const own = process.getuid?.();
    const { uid, mode } = await file.stat();
    if (own !== undefined && uid !== own) throw new UsageError(`${path} belongs to another user. Name a new file.`);
    if (own !== undefined && (mode & 0o077) !== 0) {
      throw new UsageError(`${path} can be read or changed by others: chmod 600, or name a new file.`);
    }
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Returns the system's code of an error, such as ENOENT; null without one. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
