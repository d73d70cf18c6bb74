/** `npm run operator -- terminals --offline` */
import { CommandError, Operator, operatorTokenFor } from "./operator/client.ts";
import { begun } from "./commands.ts";
import { commandLine, runCommand } from "./invocation.ts";
import type { Command } from "./operator/command.ts";
import { COMMANDS } from "./operator/commands.ts";
import { EXIT, filterFlags, FLAGS, flagsNamed, OF_EVERY_COMMAND } from "./operator/flags.ts";
import { dataLines } from "./table.ts";

const SHELL = {
  program: commandLine("operator"),
  commands: COMMANDS,
  column: 66,
  flags: FLAGS,
  flagsOf: ({ filters = {}, flags = [] }: Command) => ({ ...filterFlags(filters), ...flagsNamed(flags) }),
  ofEvery: flagsNamed(OF_EVERY_COMMAND),
  more: `From the environment or that file: OPERATOR_TOKEN. Without it, the token in .dev.vars for a gateway on this machine.

Exit status: 0: done; 1: nothing found, something broken or unresolved, or not everything done; 3: the call failed; 5: invalid usage.`,
};

async function run(args: string[]): Promise<number> {
  const shell = await begun(args, SHELL);
  if (shell === null) return EXIT.done;
  const { command, flags, settings, url } = shell;
  const operator = new Operator(url, await operatorTokenFor(settings, url));
  const { data, status } = await command.run({ operator, args: shell.args, flags });
  console.log(flags.json === true ? JSON.stringify(data) : dataLines(data));
  return status;
}

await runCommand(run, (error) => (error instanceof CommandError ? EXIT.failed : null));
