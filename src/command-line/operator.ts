/** `npm run operator -- terminals --offline`: an operator's calls from a shell. */
import { CommandError, Operator, operatorTokenFor } from "./operator/client.ts";
import { commandLine, readArguments, UsageError, VERSION } from "./invocation.ts";
import { COMMANDS, FLAGS } from "./operator/commands.ts";
import { EXIT } from "./operator/flags.ts";
import { Settings } from "./settings.ts";
import { dataLines } from "./table.ts";

function usage(): string {
  const commands = Object.values(COMMANDS).map((command) => `  ${command.usage.padEnd(34)}${command.does}`);
  return `${commandLine("operator")} COMMAND [flags]

${commands.join("\n")}

Filters of lists:
  --id TEXT --name TEXT --pos TEXT   the beginning of the id, the name, the posId
  --bound POSID --merchant ID        exactly; --shop ID: assigned to it, or bound to one of its accounts; --unbound
  --status NAME                      enrolled, retired; active, suspended, deleted
  --offline, --connected             terminals; --since: offline for longer than that
  --target --actor --action TEXT     of the audit log; --since, --until
  --code CODE                        of an account's payments: the response code, such as 51
  --by WHAT                          of statistics: hour, day, account, responseCode; --pos, --id exactly
  --since, --until                   a time with Z or an offset, or how long ago: 30m, 12h, 7d
  --limit NUMBER                     rows, 1000 by default

  --yes                 does not ask before a change
  --json                one line of JSON
  --url URL             the gateway: GATEWAY_URL, or http://127.0.0.1:8787
  --env FILE            lines NAME=value, for what is not in the environment

From the environment or that file: OPERATOR_TOKEN. Without it, the token in .dev.vars for a gateway on this machine.

Exit status: 0: done; 1: nothing found, something broken or unresolved, or not everything done; 3: the call failed; 5: invalid usage.`;
}

async function run(args: string[]): Promise<number> {
  const { values: flags, positionals } = readArguments(args, FLAGS);
  if (flags.version === true || flags.help === true) {
    console.log(flags.version === true ? VERSION : usage());
    return EXIT.done;
  }
  const [name, ...rest] = positionals;
  if (name === undefined) throw new UsageError(usage());
  const command = commandOf(name, rest.length);
  const settings = await Settings.read(flags.env);
  const url = settings.url(flags.url);
  const operator = new Operator(url, await operatorTokenFor(settings, url));
  try {
    const { data, status } = await command.run({ operator, args: rest, flags });
    console.log(flags.json === true ? JSON.stringify(data) : dataLines(data));
    return status;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (flags.json === true) console.log(JSON.stringify({ error: error.message }));
    else console.error(error.message);
    return EXIT.failed;
  }
}

/** The command of this name, which must take this many arguments. */
function commandOf(name: string, given: number) {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`Unknown command ${name}. See ${commandLine("operator")} --help.`);
  const [least, most] = command.arguments ?? [0, 0];
  if (given >= least && given <= most) return command;
  throw new UsageError(`Usage: ${commandLine("operator")} ${command.usage}`);
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = EXIT.usage;
}
