#!/usr/bin/env node
/** `npx payment-terminal-client COMMAND` */
import { VERSION, WRONG_USAGE } from "./invocation.ts";

const COMMANDS: Record<string, { does: string; run: () => Promise<unknown> }> = {
  conformance: {
    does: "tests your terminal or point of sale against the protocol",
    run: () => import("./conformance.ts"),
  },
  pos: { does: "a point of sale in the shell, with every call", run: () => import("./pos.ts") },
  terminal: { does: "simulated terminals", run: () => import("./terminal.ts") },
};

const USAGE = `npx payment-terminal-client COMMAND [arguments]

${Object.entries(COMMANDS)
  .map(([name, { does }]) => `  ${name.padEnd(13)}${does}`)
  .join("\n")}

Run COMMAND --help for its arguments.`;

const [name] = process.argv.slice(2);
const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command !== undefined) {
  // A command reads the arguments after its name.
  process.argv.splice(2, 1);
  // Node 20 has no WebSocket.
  if (!("WebSocket" in globalThis)) Object.assign(globalThis, { WebSocket: (await import("ws")).WebSocket });
  await command.run();
} else if (name === "--help" || name === "--version") {
  console.log(name === "--help" ? USAGE : VERSION);
} else {
  console.error(name === undefined ? USAGE : `Unknown command ${name}.\n\n${USAGE}`);
  process.exitCode = WRONG_USAGE;
}
