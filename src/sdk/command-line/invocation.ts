import manifest from "../package.json" with { type: "json" };
import { join } from "node:path";

/** It is false in the package payment-terminal-client. */
export const IN_CLONE = import.meta.url.endsWith(".ts");

export const VERSION = `${manifest.name} ${manifest.version}`;

/** In the clone, next to the database of `npm start`. */
export const DATA_FOLDER = IN_CLONE ? join(".wrangler", "state") : ".payment-terminal-client";

/** Writes the command for usage texts. If `quiet`, npm prints nothing on standard output. */
export function commandLine(name: "conformance" | "operator" | "pos" | "terminal", { quiet = false } = {}): string {
  return IN_CLONE ? `npm run ${quiet ? "--silent " : ""}${name} --` : `npx payment-terminal-client ${name}`;
}

/** Calls `end` on Ctrl-C, on `kill`, and when the parent process ends. */
export function onEnd(end: () => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  process.on("disconnect", end);
  // A listener would keep a program alive that has nothing more to do: https://nodejs.org/api/process.html#processchannelunref
  process.channel?.unref();
}

/** The message is for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const WRONG_USAGE = 5;
