import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { type Result, err, ok } from "../../outcomes/result.ts";
import { readVars } from "../../command-line/settings.ts";

/** Creates a new secret by its name. */
const MAKERS: Record<string, (operator: string, random: (bytes: number) => Buffer) => string> = {
  MASTER_KEYS: (_, random) => `k1:${random(32).toString("base64")}`,
  OPERATOR_TOKENS: (operator, random) => `${operator}:${random(32).toString("base64url")}`,
};

/**
 * Creates new secrets.
 *
 * @param operator the name of the first operator
 * @returns values by their names, or a sentence if wrangler.toml requires a secret that only a person can know
 */
export function makeSecrets(
  names: readonly string[],
  operator: string,
  random: (bytes: number) => Buffer = randomBytes,
): Result<Record<string, string>, string> {
  const secrets: Record<string, string> = {};
  for (const name of names) {
    const make = MAKERS[name];
    if (make === undefined) return err(`Set ${name} yourself: npx wrangler secret put ${name}`);
    secrets[name] = make(operator, random);
  }
  return ok(secrets);
}

/** The token of the first operator; null if none was created. */
export function tokenIn(secrets: Record<string, string>): string | null {
  const entry = secrets["OPERATOR_TOKENS"];
  return entry === undefined ? null : entry.slice(entry.indexOf(":") + 1);
}

/** Lines NAME="value", as in `.dev.vars`. */
export function linesOf(secrets: Record<string, string>): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}="${value}"\n`)
    .join("");
}

/**
 * Writes secrets to a new file that only its owner can read. Never writes to an existing file, because it may hold the
 * last copy of other secrets. If the file has secrets of these names, an earlier deploy was stopped, and its secrets
 * are used.
 *
 * @returns the secrets in the file, or a sentence
 */
export async function writeSecrets(
  path: string,
  secrets: Record<string, string>,
): Promise<Result<Record<string, string>, string>> {
  try {
    await writeFile(path, linesOf(secrets), { mode: 0o600, flag: "wx" });
    return ok(secrets);
  } catch (error) {
    const kept = await readVars(path);
    const names = Object.keys(secrets);
    if (names.every((name) => kept.has(name))) {
      return ok(Object.fromEntries(names.map((name) => [name, kept.get(name) ?? ""])));
    }
    return err(`The secrets cannot be written to ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
