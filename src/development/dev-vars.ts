import { randomBytes } from "node:crypto";
import { appendFile, chmod, readFile } from "node:fs/promises";
import { readOperators } from "../http/operator/tokens.ts";
import { readMasterKeys } from "../keys/master-keys.ts";

/** The secrets that the gateway requires, each with a random value for development. */
const SECRETS: Record<string, () => string> = {
  MASTER_KEYS: () => `dev-1:${randomBytes(32).toString("base64")}`,
  OPERATOR_TOKENS: () => `developer:${randomBytes(24).toString("base64url")}`,
};

/** Adds the secrets missing from `.dev.vars` at `path`. Only the owner can read the file. */
export async function makeDevVars(path: string): Promise<void> {
  const present = await readVars(path);
  const missing = Object.entries(SECRETS).filter(([name]) => !present.has(name));
  const lines = missing.map(([name, make]) => `${name}="${make()}"\n`);
  if (lines.length > 0) await appendFile(path, lines.join(""), { mode: 0o600 });
  await chmod(path, 0o600);
}

/** Why the gateway could not use the secrets in `.dev.vars` at `path`; null if it can. Shows no secret. */
export async function secretsProblem(path: string): Promise<string | null> {
  const vars = await readVars(path);
  const read = [readMasterKeys(vars.get("MASTER_KEYS")), readOperators(vars.get("OPERATOR_TOKENS"))];
  const mistakes = read.flatMap((result) => (result.ok ? [] : [result.error]));
  return mistakes.length === 0 ? null : `${path}: ${mistakes.join(" ")}`;
}

/** The first operator's token. */
export async function operatorToken(path: string): Promise<string> {
  const first = (await readVars(path)).get("OPERATOR_TOKENS")?.split(",")[0] ?? "";
  return first.slice(first.indexOf(":") + 1).trim();
}

/** Reads lines of the form NAME=value or NAME="value". This project writes nothing else there. */
export async function readVars(path: string): Promise<Map<string, string>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return new Map();
  }
  const vars = new Map<string, string>();
  for (const [, name, value] of text.matchAll(/^([A-Z_]+)\s*=\s*["']?(.*?)["']?\s*$/gm)) {
    if (name !== undefined && value !== undefined) vars.set(name, value);
  }
  return vars;
}
