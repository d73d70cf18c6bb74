/** What tests from outside do again and again: accounts and terminals of their own, and other projects. */
import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { PosClient } from "../../src/sdk/client/pos.ts";
import type { TokenPair } from "../../src/sdk/client/pos.ts";
import { describe, OperatorClient } from "../../src/sdk/command-line/operator-client.ts";

export interface OutsideAccount {
  posId: string;
  merchantId: string;
  password: string;
  signingKey: string;
}

export function operator(): OperatorClient {
  const { baseUrl, operatorToken } = inject("gateway");
  return new OperatorClient(baseUrl, operatorToken);
}

function unique(prefix: string): string {
  return `${prefix}-${crypto.randomUUID().slice(0, 8)}`;
}

export async function createAccount(): Promise<OutsideAccount> {
  const [posId, merchantId] = [unique("POS"), unique("M")];
  const account = { posId, merchantId, currency: "MYR", timezone: "Asia/Kuala_Lumpur" };
  const { status, body } = await operator().call("POST", "/accounts", account);
  if (status !== 201) throw new Error(`creating an account failed: ${describe({ status, body })}`);
  return { posId, merchantId, password: String(body["password"]), signingKey: String(body["signingKey"]) };
}

export interface OutsideTerminal {
  terminalId: string;
  secret: string;
}

export async function enrolTerminal(details: { merchantId?: string } = {}): Promise<OutsideTerminal> {
  const terminalId = unique("T");
  const terminal = { terminalId, isVT: 1, ...details };
  return { terminalId, secret: await operator().must("POST", "/terminals", terminal, "secret") };
}

/** A terminal that is bound to the account before it connects. */
export async function boundTerminal(account: OutsideAccount): Promise<OutsideTerminal> {
  const terminal = await enrolTerminal({ merchantId: account.merchantId });
  await posOf(account).prebind([terminal.terminalId]);
  return terminal;
}

/** A POS of an account; one session for all that a test does with it. */
export function posOf(account: OutsideAccount): PosClient {
  let kept: TokenPair | null = null;
  const tokens = { load: async () => kept, save: async (pair: TokenPair | null) => void (kept = pair) };
  return new PosClient({ baseUrl: inject("gateway").baseUrl, tokens, ...account });
}

/** A folder that knows nothing of this project but the package payment-terminal-client, which it has installed. */
export async function freshProject(): Promise<string> {
  const { folder, tarball } = inject("gateway");
  const project = await mkdtemp(join(folder, "project-"));
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "shop", private: true, type: "module" }));
  const options = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await promisify(execFile)("npm", ["install", ...options, tarball], { cwd: project });
  return project;
}
