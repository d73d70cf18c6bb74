import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { readVars } from "../command-line/settings.ts";

/** The secrets of the demo's account and terminal. Empty if lost. */
export interface DemoCredentials {
  password: string;
  signingKey: string;
  terminalSecret: string;
}

/** The values that are not secret, for the commands that read the same file. */
export interface DemoNames {
  posId: string;
  merchantId: string;
  terminalId: string;
}

export async function loadCredentials(path: string): Promise<DemoCredentials> {
  const vars = await readVars(path);
  return {
    password: vars.get("PASSWORD") ?? "",
    signingKey: vars.get("SIGNING_KEY") ?? "",
    terminalSecret: vars.get("DEMO_TERMINAL_SECRET") ?? "",
  };
}

export async function saveCredentials(path: string, credentials: DemoCredentials, names: DemoNames): Promise<void> {
  const vars = {
    POS_ID: names.posId,
    MERCHANT_ID: names.merchantId,
    DEVICE_ID: names.terminalId,
    PASSWORD: credentials.password,
    SIGNING_KEY: credentials.signingKey,
    DEMO_TERMINAL_SECRET: credentials.terminalSecret,
  };
  const lines = Object.entries(vars).map(([name, value]) => `${name}='${value}'\n`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, lines.join(""), { mode: 0o600 });
}
