#!/usr/bin/env node
/** `npx payment-terminal-client COMMAND` */
import { WRONG_USAGE } from "./invocation.ts";
import { newProgram, runProgram } from "./program.ts";

const COMMANDS: Record<string, { does: string; run: () => Promise<unknown> }> = {
  conformance: {
    does: "tests your terminal or point of sale against the protocol",
    run: () => import("./conformance.ts"),
  },
  pos: { does: "a point of sale in the shell, with every call", run: () => import("./pos.ts") },
  terminal: { does: "simulated terminals", run: () => import("./terminal.ts") },
};

const program = newProgram("npx payment-terminal-client", "Commands for points of sale and payment terminals.", {
  statuses: { 0: "done", [WRONG_USAGE]: "wrong usage" },
  more: "Run COMMAND --help for its arguments, examples and exit statuses.",
}).enablePositionalOptions();
for (const [name, { does, run }] of Object.entries(COMMANDS)) {
  const command = program.command(name).description(does).helpOption(false).argument("[arguments...]");
  // A command reads the arguments after its name.
  command.passThroughOptions().allowUnknownOption();
  command.action(async () => {
    process.argv.splice(2, 1);
    // Node 20 has no WebSocket.
    if (!("WebSocket" in globalThis)) Object.assign(globalThis, { WebSocket: (await import("ws")).WebSocket });
    await run();
  });
}
await runProgram(program);
