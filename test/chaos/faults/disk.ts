/** A full disk: the gateway's process cannot write another byte to any file, until there is room again. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Gateway } from "../gateway/gateway.ts";

const run = promisify(execFile);

/** Why this machine cannot do it; null: it can. */
export async function whyNoFullDisk(): Promise<string | null> {
  if (process.platform !== "linux") return "limits of another process are Linux's prlimit";
  return run("prlimit", ["--version"]).then(
    () => null,
    () => "there is no prlimit (package util-linux)",
  );
}

/** Returns what makes room again. */
export async function fillDisk({ runtimes }: Gateway): Promise<() => Promise<void>> {
  if (runtimes.length === 0) throw new Error("the gateway does not run");
  // The soft limit: without privileges, a hard one could not be raised again.
  const limit = async (bytes: string): Promise<unknown> =>
    Promise.all(runtimes.map(async (pid) => run("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`])));
  await limit("0");
  return async () => {
    // A process that did not survive it has no limit any more.
    await limit("unlimited").catch(() => undefined);
  };
}
