import { spawn } from "node:child_process";
import { WRANGLER, WRANGLER_ENVIRONMENT } from "../gateway-process.ts";

/** The result of a wrangler command. */
export interface Ran {
  status: number;
  stdout: string;
  /** Both outputs in the order in which they were written. */
  output: string;
}

export interface RunOptions {
  /** For standard input. Secrets go this way, because arguments appear in the list of processes. */
  input?: string;
  env?: Record<string, string>;
}

/** Runs one wrangler command to its end. It never asks, because its input is not a terminal. */
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
    // A command that does not read its input may end before the input is written.
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
