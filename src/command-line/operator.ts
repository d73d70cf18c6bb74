/** `npm run operator -- terminals --offline`: an operator's calls from a shell. */
import { CommandError, Operator, operatorTokenFor } from "./operator/client.ts";
import { checkUse, commandIn, commandLines, usageOf } from "./commands.ts";
import { flagLines, readFlags, toldBy } from "./flags.ts";
import { commandLine, runCommand, UsageError } from "./invocation.ts";
import { type Command, COMMANDS } from "./operator/commands.ts";
import { EXIT, filterFlags, FLAGS, flagsNamed, OF_EVERY_COMMAND } from "./operator/flags.ts";
import { Settings } from "./settings.ts";
import { dataLines } from "./table.ts";

const PROGRAM = commandLine("operator");

function usage(): string {
  return `${PROGRAM} COMMAND [flags]

${commandLines(COMMANDS, 66)}

COMMAND --help shows the flags of a command. Those of every command:

${flagLines(flagsNamed(OF_EVERY_COMMAND), 22)}

From the environment or that file: OPERATOR_TOKEN. Without it, the token in .dev.vars for a gateway on this machine.

Exit status: 0: done; 1: nothing found, something broken or unresolved, or not everything done; 3: the call failed; 5: invalid usage.`;
}

function flagsOf({ filters = {}, flags = [] }: Command) {
  return { ...filterFlags(filters), ...flagsNamed([...flags, ...OF_EVERY_COMMAND]) };
}

async function run(args: string[]): Promise<number> {
  const { values: flags, positionals } = readFlags(args, FLAGS);
  const found = commandIn(PROGRAM, COMMANDS, positionals);
  const told = toldBy(flags, () => {
    return found === null ? usage() : usageOf(PROGRAM, found.command, flagsOf(found.command));
  });
  if (told !== null) {
    console.log(told);
    return EXIT.done;
  }
  if (found === null) throw new UsageError(usage());
  checkUse(PROGRAM, found, Object.keys(flagsOf(found.command)), flags);
  const settings = await Settings.read(flags.env);
  const url = settings.url(flags.url);
  const operator = new Operator(url, await operatorTokenFor(settings, url));
  try {
    const { data, status } = await found.command.run({ operator, args: found.args, flags });
    console.log(flags.json === true ? JSON.stringify(data) : dataLines(data));
    return status;
  } catch (error) {
    if (!(error instanceof CommandError) || flags.json !== true) throw error;
    console.log(JSON.stringify({ error: error.message }));
    return EXIT.failed;
  }
}

await runCommand(run, (error) => (error instanceof CommandError ? EXIT.failed : null));
