import { randomBytes } from "node:crypto";
import { UsageError } from "../../sdk/command-line/invocation.ts";
import { createPrivate, readPrivate, writePrivate } from "../../sdk/command-line/private-file.ts";
import { readVars, varsIn } from "../../sdk/command-line/settings.ts";
import { readOperators } from "../../gateway/http/operator/tokens.ts";
import { readMasterKeys } from "../../gateway/secrets/master-keys.ts";
import { operatorEntry } from "../../protocol/operator-roles.ts";
import { type Result, err, ok } from "../../protocol/result.ts";

interface SecretNames {
  kid: string;
  operator: string;
}

const MAKERS: Record<string, (names: SecretNames) => string> = {
  MASTER_KEYS: ({ kid }) => `${kid}:${randomBytes(32).toString("base64")}`,
  OPERATOR_TOKENS: ({ operator }) => `${operator}:${randomBytes(32).toString("base64url")}`,
};

/** By name; a sentence if a required secret is one that only a person can know. */
export function makeSecrets(wanted: readonly string[], names: SecretNames): Result<Record<string, string>, string> {
  const secrets: Record<string, string> = {};
  for (const name of wanted) {
    const make = MAKERS[name];
    if (make === undefined) return err(`Set ${name} yourself: npx wrangler secret put ${name}`);
    secrets[name] = make(names);
  }
  return ok(secrets);
}

/** Adds the secrets missing from `.dev.vars` at `path`. Throws a UsageError for a file that others can read or change. */
export async function makeDevVars(path: string): Promise<void> {
  const text = await readPrivate(path);
  const present = varsIn(text ?? "");
  const missing = Object.keys(MAKERS).filter((name) => !present.has(name));
  const made = makeSecrets(missing, { kid: "dev-1", operator: "developer" });
  if (!made.ok || missing.length === 0) return;
  const lines = formatSecrets(made.value);
  if (text !== null) await writePrivate(path, `${text.replace(/(?<!\n)$/u, "\n")}${lines}`);
  // Another start may have created it in the meantime.
  else if (!(await createPrivate(path, lines))) await makeDevVars(path);
}

/** Why the gateway could not use the secrets in `.dev.vars` at `path`; null if it can. Shows no secret. */
export async function secretsProblem(path: string): Promise<string | null> {
  const vars = await readVars(path);
  const read = [readMasterKeys(vars.get("MASTER_KEYS")), readOperators(vars.get("OPERATOR_TOKENS"))];
  const mistakes = read.flatMap((result) => (result.ok ? [] : [result.error]));
  return mistakes.length === 0 ? null : `${path}: ${mistakes.join(" ")}`;
}

/** Null if no first operator was created. */
export function tokenIn(secrets: Record<string, string>): string | null {
  const entry = secrets["OPERATOR_TOKENS"];
  return entry === undefined ? null : operatorEntry(entry).token;
}

/** Lines NAME="value", as in `.dev.vars`. */
export function formatSecrets(secrets: Record<string, string>): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}="${value}"\n`)
    .join("");
}

/**
 * Writes a new file that only its owner can read, and never an existing one: it may hold the last copy of other
 * secrets. If the file has secrets of these names, an earlier deploy was stopped, and they are used, unless others could
 * have put them there.
 *
 * @returns the secrets in the file, or a sentence
 */
export async function writeSecrets(
  path: string,
  secrets: Record<string, string>,
): Promise<Result<Record<string, string>, string>> {
  try {
    if (await createPrivate(path, formatSecrets(secrets))) return ok(secrets);
    const kept = varsIn((await readPrivate(path)) ?? "");
    const names = Object.keys(secrets);
    if (names.every((name) => kept.has(name))) {
      return ok(Object.fromEntries(names.map((name) => [name, kept.get(name) ?? ""])));
    }
    return err(`The secrets cannot be written to ${path}: the file exists and has others. Name a new file.`);
  } catch (error) {
    if (error instanceof UsageError) return err(error.message);
    return err(`The secrets cannot be written to ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
