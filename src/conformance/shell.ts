import { spawn } from "node:child_process";

type Environment = Record<string, string>;

function environmentWith(more: Environment): NodeJS.ProcessEnv {
  return { ...process.env, ...more };
}

/** Starts a command of the tester in a shell, and leaves it to itself: it may be the terminal. */
export function startCommand(command: string, more: Environment, say: (text: string) => void): void {
  const child = spawn(command, { shell: true, env: environmentWith(more), stdio: ["ignore", "ignore", "ignore"] });
  child.on("error", (error) => say(`The command could not be started: ${error.message}`));
  child.on("exit", (status) => {
    if (status !== null && status !== 0) say(`The command ended with status ${status}.`);
  });
  child.unref();
}

/** A command of the tester that comes to an end. */
export interface RunningCommand {
  /** Its exit status; null when it had to be ended. */
  ended: Promise<number | null>;
  end(): void;
}

/** Runs a command in a shell; what it says is shown to nobody: it may hold secrets. */
export function runCommand(command: string, more: Environment): RunningCommand {
  const child = spawn(command, {
    shell: true,
    env: environmentWith(more),
    stdio: ["ignore", "ignore", "ignore"],
    // A group of its own, so that ending it ends what the shell has started, too.
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
