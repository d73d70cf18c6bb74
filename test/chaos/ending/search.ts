/** Looks for secrets and card numbers where the gateway keeps or says something (I6). */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Needles } from "../needles.ts";

export interface Found {
  bytes: number;
  /** Names, never texts. */
  found: string[];
}

/** Texts are told apart by their beginning. */
const BEGINNING = 8;

/** Searches every file below a folder, or one file. */
export async function search(path: string, needles: Needles): Promise<Found> {
  const byBeginning = Map.groupBy(needles.names, ([text]) => text.slice(0, BEGINNING));
  const found = new Set<string>();
  let bytes = 0;
  for (const file of await filesBelow(path)) {
    const content = await readFile(file, "latin1");
    bytes += content.length;
    for (const name of foundIn(content, byBeginning)) found.add(name);
  }
  return { bytes, found: [...found] };
}

function* foundIn(content: string, byBeginning: ReadonlyMap<string, [string, string][]>): Generator<string> {
  const firsts = new Set([...byBeginning.keys()].map((beginning) => beginning.charCodeAt(0)));
  for (let at = 0; at <= content.length - BEGINNING; at++) {
    if (!firsts.has(content.charCodeAt(at))) continue;
    for (const [text, name] of byBeginning.get(content.slice(at, at + BEGINNING)) ?? []) {
      if (content.startsWith(text, at)) yield name;
    }
  }
}

async function filesBelow(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return [path];
    throw error;
  }
}
