/** Copies of the gateway's source, to be changed. Wrangler bundles them as it bundles the real one. */
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** @param more what else of the project is copied */
export async function copySource(root: string, folder: string, more: readonly string[] = []): Promise<void> {
  await mkdir(folder, { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const filter = (path: string): boolean => !/^src\/.*\b(?:node_modules|dist)$/u.test(relative(root, path));
  for (const own of ["src", "tsconfig.json", ...more]) {
    await cp(join(root, own), join(folder, own), { recursive: true, filter });
  }
}

/** Puts a text in the place of one that the file has once. Throws if it does not have it once. */
export async function replaceIn(path: string, right: string | RegExp, wrong: string): Promise<void> {
  await writeFile(path, replaced(await readFile(path, "utf8"), right, wrong));
}

export function replaced(text: string, right: string | RegExp, wrong: string): string {
  const parts = text.split(right);
  if (parts.length !== 2) throw new Error(`${parts.length - 1} times where one is expected: ${right}`);
  return parts.join(wrong);
}
