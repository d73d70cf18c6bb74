import { createInterface } from "node:readline/promises";
import { UsageError } from "../settings.ts";

/** Asks a person before a change that is final. Without a person, `--yes` is required. */
export async function confirmed(question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) throw new UsageError(`${question} Add --yes to do it.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
