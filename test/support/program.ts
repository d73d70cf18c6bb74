import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { patiently } from "./patience.ts";

/** Where Node keeps what it compiled, as in `npm run`: programs that tests start again and again cost a third. */
const { NODE_COMPILE_CACHE = join(import.meta.dirname, "../../node_modules/.cache/compiled") } = process.env;

interface Options {
  cwd: string;
  env?: Record<string, string>;
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

  /** @param command Node, unless it is another one */
  constructor(args: readonly string[], options: Options, command = process.execPath) {
    const { PATH = "" } = process.env;
    // Nothing else of this process: it may hold another gateway's secrets. The type is that of the Worker's environment.
    const env = { PATH, NODE_COMPILE_CACHE, ...options.env } as unknown as NodeJS.ProcessEnv;
    this.#child = spawn(command, args, { cwd: options.cwd, env, stdio: ["pipe", "pipe", "pipe"] });
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

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The lines of its standard output that are complete. */
  get lines(): string[] {
    return this.stdout.split("\n").slice(0, -1);
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

  /** Nothing more is typed. A program that has ended already reads none of it, which is no fault. */
  endInput(text = ""): void {
    this.#child.stdin?.on("error", () => undefined).end(text);
  }

  /** Resolves to the exit status; null when a signal ended it. */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) this.#child.kill(signal);
    return this.#ended;
  }
}
