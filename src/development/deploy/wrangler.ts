import { spawn } from "node:child_process";
import { WRANGLER, WRANGLER_ENVIRONMENT } from "../gateway-process.ts";

/** What a command of wrangler came to. */
export interface Ran {
  status: number;
  stdout: string;
  /** Both outputs, in the order in which they came. */
  output: string;
}

export interface RunOptions {
  /** For its standard input. Secrets go this way: arguments show in the list of processes. */
  input?: string;
  env?: Record<string, string>;
}

/** Runs one command of wrangler to its end. It never asks: its input is no terminal. */
export type Wrangler = (args: string[], options?: RunOptions) => Promise<Ran>;

/** The pinned wrangler, in the folder of this clone. */
export function wranglerIn(root: string, script: readonly string[] = WRANGLER): Wrangler {
  return async (args, { input = "", env = {} } = {}) => {
    const child = spawn(process.execPath, [...script, ...args], {
      cwd: root,
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...WRANGLER_ENVIRONMENT, ...env },
    });
    let [stdout, output] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    // A command that does not read its input may end before it is written.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const status = await new Promise<number>((resolve) => {
      child.once("error", ({ message }) => {
        output += message;
        resolve(1);
      });
      child.once("close", (code) => resolve(code ?? 1));
    });
    return { status, stdout, output };
  };
}
