import { spawn } from "node:child_process";

type Environment = Record<string, string>;

function environmentWith(more: Environment): NodeJS.ProcessEnv {
  return { ...process.env, ...more };
}

/** Starts a command of the tester in a shell and does not wait for it: it may be the terminal itself. */
export function startCommand(command: string, more: Environment, say: (text: string) => void): void {
  const child = spawn(command, { shell: true, env: environmentWith(more), stdio: ["ignore", "ignore", "ignore"] });
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
  end(): void;
}

/** Runs a command in a shell. Discards its output, which may contain secrets. */
export function runCommand(command: string, more: Environment): RunningCommand {
  const child = spawn(command, {
    shell: true,
    env: environmentWith(more),
    stdio: ["ignore", "ignore", "ignore"],
    // A process group of its own: ending it also ends what the shell started.
    detached: process.platform !== "win32",
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on("error", () => resolve(127));
    child.on("exit", (status) => resolve(status));
  });
  return {
    ended,
    end: () => {
      if (child.pid === undefined || child.exitCode !== null) return;
      if (process.platform === "win32") child.kill();
      else process.kill(-child.pid, "SIGTERM");
    },
  };
}
