/** What tests from outside do again and again: accounts and terminals of their own, other projects, other processes. */
import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { PosClient } from "../../src/client/pos.ts";
import type { TokenPair } from "../../src/client/pos.ts";
import { describe, Operator } from "../../src/command-line/operator/client.ts";
import { ROOT } from "./outside.ts";
import { patiently } from "./patience.ts";

/** Where Node keeps what it compiled, as in `npm run`: programs that tests start again and again cost a third. */
const { NODE_COMPILE_CACHE = join(ROOT, "node_modules", ".cache", "compiled") } = process.env;

export interface OutsideAccount {
  posId: string;
  merchantId: string;
  password: string;
  signingKey: string;
}

export function operator(): Operator {
  const { baseUrl, operatorToken } = inject("gateway");
  return new Operator(baseUrl, operatorToken);
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

/** `details`: what else the operator says of it. */
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

/** A till of an account; one session for all that a test does with it. */
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

/** A program that runs beside the test; all its output is kept. */
export class Program {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  /** What it has said on either, in the order in which it came. */
  output = "";
  stdout = "";
  stderr = "";
  #wake: () => void = () => undefined;

  constructor(args: string[], options: { cwd: string; env?: Record<string, string> }) {
    const { PATH = "", GATEWAY_RUN } = process.env;
    // Nothing else of this process: it may hold another gateway's secrets. The type is that of the Worker's environment.
    const env = { PATH, NODE_COMPILE_CACHE, GATEWAY_RUN, ...options.env } as unknown as NodeJS.ProcessEnv;
    this.#child = spawn(process.execPath, args, { cwd: options.cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    for (const name of ["stdout", "stderr"] as const) {
      this.#child[name]?.setEncoding("utf8").on("data", (text: string) => {
        this[name] += text;
        this.output += text;
        this.#wake();
      });
    }
    this.#ended = new Promise((resolve) => {
      this.#child.once("close", (status) => {
        resolve(status);
        this.#wake();
      });
    });
  }

  /** Resolves when it has said `text`, or has said it again `after` another one. */
  async says(text: string, { after = text }: { after?: string } = {}): Promise<void> {
    const said = (): boolean => {
      const from = this.output.indexOf(after);
      return from >= 0 && this.output.includes(text, from);
    };
    while (!said()) {
      if (this.#child.exitCode !== null) throw new Error(`ended without saying "${text}":\n${this.output}`);
      const more = new Promise<void>((resolve) => (this.#wake = resolve));
      await patiently(more, () => `"${text}", but:\n${this.output}`);
    }
  }

  type(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Resolves to the exit status; null when a signal ended it. */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) this.#child.kill(signal);
    return this.#ended;
  }
}
