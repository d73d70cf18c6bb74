import { randomBytes } from "node:crypto";
import { appendFile, chmod } from "node:fs/promises";
import { readOperators } from "../http/operator/tokens.ts";
import { readMasterKeys } from "../keys/master-keys.ts";
import { readVars } from "../command-line/settings.ts";

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
