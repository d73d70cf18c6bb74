import { join } from "node:path";
import manifest from "../client/package.json" with { type: "json" };

/** Whether this code runs from the clone's sources, not from the package payment-terminal-client. */
export const IN_CLONE = import.meta.url.endsWith(".ts");

/** What `--version` prints. */
export const VERSION = `${manifest.name} ${manifest.version}`;

/** The default folder of the commands' files: in the clone, next to the database of `npm start`. */
export const DATA_FOLDER = IN_CLONE ? join(".wrangler", "state") : ".payment-terminal-client";

/** How to start a command, for usage texts. `quiet`: npm prints nothing on standard output. */
export function commandLine(name: "conformance" | "operator" | "pos" | "terminal", { quiet = false } = {}): string {
  return IN_CLONE ? `npm run ${quiet ? "--silent " : ""}${name} --` : `npx payment-terminal-client ${name}`;
}
