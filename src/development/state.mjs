/** What tells whether files have changed, without reading them. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * A digest of the names, sizes and times of change of files. A folder stands for all files below it. What does not exist
 * counts as empty.
 *
 * @param {readonly string[]} paths of files and folders
 * @returns {string} 64 hexadecimal digits
 */
export function stateOf(paths) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(filesOf)) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function filesOf(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
