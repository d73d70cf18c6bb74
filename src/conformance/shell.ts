import { spawn } from "node:child_process";

type Environment = Record<string, string>;

function environmentWith(more: Environment): NodeJS.ProcessEnv {
  return { ...process.env, ...more };
}

/** What happens to a command's output. It may contain secrets, so it is hidden unless the tester wants to see it. */
export type Output = "hidden" | "shown";

/** On standard error: standard output may be the report. */
function stdioOf(output: Output): ("ignore" | 2)[] {
  return output === "shown" ? ["ignore", 2, 2] : ["ignore", "ignore", "ignore"];
}

/** Starts a command of the tester in a shell and does not wait for it: it may be the terminal itself. */
export function startCommand(command: string, more: Environment, output: Output, say: (text: string) => void): void {
  const child = spawn(command, { shell: true, env: environmentWith(more), stdio: stdioOf(output) });
  child.on("error", (error) => say(`Could not start the command: ${error.message}`));
  child.on("exit", (status) => {
    if (status !== null && status !== 0) say(`The command exited with status ${status}.`);
  });
  child.unref();
}

/** A command of the tester that ends. */
export interface RunningCommand {
  /** Its exit status; null if a signal ended it. */
  ended: Promise<number | null>;
  /** Ends it with everything that it has started. SIGKILL leaves it no time, like a power cut. */
  end(signal: "SIGTERM" | "SIGKILL"): void;
}

/** Runs a command in a shell. */
export function runCommand(command: string, more: Environment, output: Output): RunningCommand {
  const child = spawn(command, {
    shell: true,
    env: environmentWith(more),
    stdio: stdioOf(output),
    // A process group of its own: ending it also ends what the shell started.
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
