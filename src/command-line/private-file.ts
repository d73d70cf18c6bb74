import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "./invocation.ts";

/** Null if the file does not exist. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/**
 * The text of a file for secrets; null if it does not exist. Throws a UsageError if the file belongs to somebody else
 * or others can read or write it: they could have put it there. Windows has neither owners nor modes here.
 */
export async function readPrivate(path: string): Promise<string | null> {
  const text = await readIfThere(path);
  const own = process.getuid?.();
  if (text === null || own === undefined) return text;
  const { uid, mode } = await stat(path);
  if (uid !== own) throw new UsageError(`${path} belongs to another user. Name a new file.`);
  if ((mode & 0o077) !== 0)
    throw new UsageError(`${path} can be read or changed by others: chmod 600, or name a new file.`);
  return text;
}

/** Only the owner can read the file. Replaces an existing file as a whole. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}.next`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, path);
}
