/** Which TCP ports processes listen on, from Linux's /proc (proc_pid_net(5), proc_pid_fd(5)). */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The state of a listening socket in /proc/net/tcp. */
const LISTENS = "0A";

/** The ports by the inode of their sockets. */
function listeningSockets(): Map<string, number> {
  const lines = ["tcp", "tcp6"].flatMap((name) => readFileSync(`/proc/net/${name}`, "utf8").split("\n").slice(1));
  const rows = lines.map((line) => line.trim().split(/\s+/u)).filter(([, , , state]) => state === LISTENS);
  return new Map(rows.map((row) => [row[9] ?? "", Number.parseInt(row[1]?.split(":")[1] ?? "", 16)]));
}

/** The sockets of a process; empty if it has ended, or is not this user's. */
function socketsOf(pid: string): string[] {
  try {
    const links = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    return links.flatMap((link) => /^socket:\[(\d+)\]$/u.exec(link)?.[1] ?? []);
  } catch {
    return [];
  }
}

/** The process group; null if the process has ended. */
function groupOf(pid: string): string | null {
  try {
    return /\) \S \d+ (\d+)/u.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** All ports on which the process group of the process that listens on `port` listens. */
export function portsBeside(port: number): number[] {
  const sockets = listeningSockets();
  const processes = readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
  const portsOf = (pid: string): number[] => socketsOf(pid).flatMap((socket) => sockets.get(socket) ?? []);
  const listener = processes.find((pid) => portsOf(pid).includes(port));
  if (listener === undefined) throw new Error(`nobody listens on ${port}`);
  const group = groupOf(listener);
  return [...new Set(processes.filter((pid) => groupOf(pid) === group).flatMap(portsOf))];
}
