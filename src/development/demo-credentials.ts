import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readVars } from "./dev-vars.ts";

/** What the demo's account and terminal need to know. Empty texts for what is lost. */
export interface DemoCredentials {
  password: string;
  signingKey: string;
  terminalSecret: string;
}

/** Beside the database that they belong to, in a form that a shell can read, too. */
export function credentialsPath(persistTo: string): string {
  return join(persistTo, "demo.env");
}

export async function loadCredentials(path: string): Promise<DemoCredentials> {
  const vars = await readVars(path);
  return {
    password: vars.get("PASSWORD") ?? "",
    signingKey: vars.get("SIGNING_KEY") ?? "",
    terminalSecret: vars.get("TERMINAL_SECRET") ?? "",
  };
}

export async function saveCredentials(path: string, credentials: DemoCredentials): Promise<void> {
  const { password, signingKey, terminalSecret } = credentials;
  await mkdir(dirname(path), { recursive: true });
  const text = `PASSWORD='${password}'\nSIGNING_KEY='${signingKey}'\nTERMINAL_SECRET='${terminalSecret}'\n`;
  await writeFile(path, text, { mode: 0o600 });
}
