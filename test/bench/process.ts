/**
 * Processes of the bench. Each listens on ports that the system finds free, and says which on descriptor 3, in
 * workerd's words (`--control-fd`): a line of JSON for each socket. So no port is chosen before it is taken.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** How long a process may take to listen or to end, in milliseconds. */
const PATIENCE = 20_000;

/** The descriptor on which a process says where it listens. */
export const CONTROL = 3;

export interface RunningProcess {
  pid: number;
  /** Where a socket is, on the loopback. Throws if the process has none of that name. */
  port: (socket: string) => number;
  stop: () => Promise<void>;
  /** Ends it as a power cut does: nothing that it is doing is finished. */
  kill: () => Promise<void>;
}

/** Of a line on `CONTROL`. */
export interface Listening {
  event: "listen";
  /** The socket's name. */
  socket: string;
  port: number;
}

const running = new Set<ChildProcess>();

// Whatever ends the bench ends what it started. One listener for all: Node warns of more than ten.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a process and waits until it listens. Its output is read by nobody; errors are shown.
 *
 * @param sockets the names of its sockets
 */
export async function start(
  [command = "", ...words]: readonly string[],
  folder: string,
  sockets: readonly string[],
): Promise<RunningProcess> {
  // The Worker's log lines are written, as anywhere, but to nowhere.
  const child: ChildProcess = spawn(command, words, { cwd: folder, stdio: ["ignore", "ignore", "inherit", "pipe"] });
  const ended = once(child, "exit");
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} did not start`);
  running.add(child);
  void ended.then(() => running.delete(child));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const force = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    child.kill(signal);
    await ended;
    clearTimeout(force);
  };
  const ports = await portsOf(child.stdio[CONTROL] as Readable, sockets);
  return {
    pid,
    port(socket) {
      const port = ports.get(socket);
      if (port === undefined) throw new Error(`${command} has no socket ${socket}`);
      return port;
    },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

/** Waits until all sockets are named. Throws if the process ends before, or takes too long. */
async function portsOf(control: Readable, sockets: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const ports = new Map<string, number>();
  const patience = setTimeout(() => control.destroy(), PATIENCE);
  try {
    for await (const line of createInterface(control)) {
      const { socket, port } = JSON.parse(line) as Listening;
      ports.set(socket, port);
      if (sockets.every((name) => ports.has(name))) return ports;
    }
  } finally {
    clearTimeout(patience);
  }
  throw new Error(`nothing listens on ${sockets.filter((name) => !ports.has(name)).join(" and ")}`);
}
