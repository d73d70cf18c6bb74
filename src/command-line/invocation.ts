import { join } from "node:path";

/** Whether this code runs from the clone's sources; otherwise it is the bundle of the package payment-terminal-client. */
export const IN_CLONE = import.meta.url.endsWith(".ts");

/** Where the commands keep their files unless told otherwise: in the clone, beside the database of `npm start`. */
export const DATA_FOLDER = IN_CLONE ? join(".wrangler", "state") : ".payment-terminal-client";

/** How to start one of the commands, for usage texts. `quiet`: so that standard output has only what the command prints. */
export function commandLine(name: "conformance" | "pos" | "terminal", { quiet = false } = {}): string {
  return IN_CLONE ? `npm run ${quiet ? "--silent " : ""}${name} --` : `npx payment-terminal-client ${name}`;
}
