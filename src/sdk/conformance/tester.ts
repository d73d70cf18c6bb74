import { exec, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { err, ok } from "../../protocol/result.ts";
import type { CountCharges } from "./terminal/charges.ts";

/** The person who operates the tested side; nobody in automatic mode. */
export interface Tester {
  readonly present: boolean;
  tell(text: string): void;
  /** Null if nobody is there. */
  confirm(question: string): Promise<boolean | null>;
  /** Chosen by the first letters; null if nobody is there. */
  choose<Choice extends string>(question: string, choices: readonly Choice[]): Promise<Choice | null>;
  close(): void;
}

export const NOBODY: Tester = {
  present: false,
  tell: () => undefined,
  confirm: async () => null,
  choose: async () => null,
  close: () => undefined,
};

/** Questions go to standard error, so that the output of `--json` stays clean. */
export class Person implements Tester {
  readonly present = true;
  readonly #reader: ReturnType<typeof createInterface>;
  readonly #lines: AsyncIterator<string>;
  readonly #output: NodeJS.WritableStream;

  constructor(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
    this.#output = output;
    this.#reader = createInterface({ input });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  tell(text: string): void {
    this.#output.write(`→ ${text}\n`);
  }

  async confirm(question: string): Promise<boolean | null> {
    const answer = await this.choose(question, ["yes", "no"]);
    return answer === null ? null : answer === "yes";
  }

  async choose<Choice extends string>(question: string, choices: readonly Choice[]): Promise<Choice | null> {
    for (;;) {
      this.#output.write(`? ${question} (${choices.join(", ")}) `);
      const next = await this.#lines.next();
      // The input has ended: nobody is there any more.
      if (next.done === true) return null;
      const line = next.value.trim().toLowerCase();
      const chosen = choices.find((choice) => line !== "" && choice.startsWith(line));
      if (chosen !== undefined) return chosen;
    }
  }

  close(): void {
    this.#reader.close();
  }
}

/** A bind key as people read it. */
export function withDash(key: string): string {
  return `${key.slice(0, 4)}-${key.slice(4)}`;
}

type Environment = Record<string, string>;

/** A command's output may contain secrets, so it is hidden unless the tester wants to see it. */
export type Output = "hidden" | "shown";

/** The output goes to standard error: standard output may be the report. */
function chooseStdio(output: Output): ("ignore" | 2)[] {
  return output === "shown" ? ["ignore", 2, 2] : ["ignore", "ignore", "ignore"];
}

/** Starts a shell command of the tester and does not wait for it: it may be the terminal itself. */
export function startCommand(command: string, more: Environment, output: Output, say: (text: string) => void): void {
  const child = spawn(command, { shell: true, env: { ...process.env, ...more }, stdio: chooseStdio(output) });
  child.on("error", (error) => say(`Could not start the command: ${error.message}`));
  child.on("exit", (status) => {
    if (status !== null && status !== 0) say(`The command exited with status ${status}.`);
  });
  child.unref();
}

/** For a host that answers slowly. */
const COUNTED_WITHIN = 30_000;

/**
 * Counts charges with a shell command of the tester, which prints a whole number. Its exit status does not count: `grep -c`
 * ends with 1 when it has found none.
 */
export function countChargesBy(command: string): CountCharges {
  return async ({ transId, referenceId }) => {
    const env = { ...process.env, TRANS_ID: transId, REFERENCE_ID: referenceId };
    const ran = await promisify(exec)(command, { env, timeout: COUNTED_WITHIN }).catch((error: unknown) => error);
    const text = Object.assign({ stdout: "" }, ran).stdout.trim();
    return /^[0-9]{1,9}$/u.test(text)
      ? ok(Number(text))
      : err("the command of --charges-command printed no whole number");
  };
}

export interface RunningCommand {
  /** Resolves to the exit status, or to null if a signal ended the command. */
  ended: Promise<number | null>;
  /** Ends the command and everything that it has started. SIGKILL leaves it no time, like a power cut. */
  end(signal: "SIGTERM" | "SIGKILL"): void;
}

export function runCommand(command: string, more: Environment, output: Output): RunningCommand {
  const child = spawn(command, {
    shell: true,
    env: { ...process.env, ...more },
    stdio: chooseStdio(output),
    // The command has a process group of its own: ending it also ends what the shell started.
    detached: process.platform !== "win32",
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on("error", () => resolve(127));
    child.on("exit", (status) => resolve(status));
  });
  return {
    ended,
    end: (signal) => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      if (process.platform === "win32") child.kill(signal);
      else process.kill(-child.pid, signal);
    },
  };
}
