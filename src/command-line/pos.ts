/** `npm run pos -- sale 12.50`, `npx payment-terminal-client pos sale 12.50`: every call of a point of sale from a shell. */
import { PosClient, PosError } from "../client/pos.ts";
import { isTransactionType } from "../protocol/transfer-types.ts";
import { SECOND } from "../time/units.ts";
import { readFlags, toldBy } from "./flags.ts";
import { commandLine, IN_CLONE, runCommand, UsageError } from "./invocation.ts";
import { COMMANDS } from "./pos/commands.ts";
import { FLAGS, helpOf, OF_EVERY_COMMAND, type Command, type Flags } from "./pos/flags.ts";
import { ProgressLine } from "./pos/progress-line.ts";
import { EXIT, errorJson, errorText, exitStatusOf, textOf } from "./pos/report.ts";
import { TokenFile, sessionPath } from "./pos/token-file.ts";
import { Settings } from "./settings.ts";

function usage(): string {
  const commands = Object.values(COMMANDS).map((command) => `  ${command.usage.padEnd(22)}${command.does}`);
  return `${commandLine("pos")} COMMAND [flags]

${commands.join("\n")}

COMMAND --help shows the flags of a command. Those of every command:

${helpOf(OF_EVERY_COMMAND)}

Set POS_ID, MERCHANT_ID, DEVICE_ID, and the secrets SIGNING_KEY and PASSWORD in the environment or in that file.
Without PASSWORD, logins are signed with SIGNING_KEY.${IN_CLONE ? " Without POS_ID, the demo of npm start is used." : ""}

Exit status: 0: 00, 1: 11, 2: 22, 3: failed, no money moved, 4: failed, outcome unknown, 5: wrong usage.`;
}

function usageOf(command: Command): string {
  const flags = [...command.flags, ...OF_EVERY_COMMAND];
  return `${commandLine("pos")} ${command.usage} [flags]: ${command.does}\n\n${helpOf(flags)}`;
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(args, FLAGS);
  const [name, ...rest] = positionals;
  const command = commandNamed(name);
  const told = toldBy(values, () => (command === null ? usage() : usageOf(command)));
  if (told !== null) {
    console.log(told);
    return EXIT.approved;
  }
  if (name === undefined || command === null) throw new UsageError(usage());
  checkArguments(name, command, rest, values);
  const settings = await Settings.read(values.env);
  const pos = clientOf(settings, settings.url(values.url));
  const json = values.json === true;
  const progress = new ProgressLine(process.stderr);
  const seconds = values.within;
  try {
    const shown = await command.run({
      pos,
      args: rest,
      flags: values,
      deviceId: () => values.device ?? settings.must("DEVICE_ID"),
      announce: (referenceId) => console.error(`referenceId ${referenceId}`),
      print: (one) => console.log(textOf(one, json)),
      complain: (message) => console.error(message),
      options: {
        signal: interruption(),
        // Programs get only the answer.
        onProgress: progress.isSeen && !json ? (state) => progress.show(state) : undefined,
        within: seconds === undefined ? undefined : seconds * SECOND,
        wait: values.wait,
      },
    });
    progress.clear();
    if (shown === null) return EXIT.approved;
    console.log(textOf(shown, json));
    return exitStatusOf(shown);
  } catch (error) {
    progress.clear();
    return failed(error, name, json);
  }
}

/** Tells what went wrong, and returns the exit status. */
function failed(error: unknown, name: string, json: boolean): number {
  if (!(error instanceof PosError)) throw error;
  if (json) console.log(errorJson(error));
  else console.error(errorText(error, isTransactionType(name)));
  return error.outcomeUnknown ? EXIT.failedUnknown : EXIT.failed;
}

/** Null without a name. */
function commandNamed(name: string | undefined): Command | null {
  if (name === undefined) return null;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`Unknown command ${name}. See ${commandLine("pos")} --help.`);
  return command;
}

function checkArguments(name: string, command: Command, given: string[], values: Flags): void {
  const own: readonly string[] = [...command.flags, ...OF_EVERY_COMMAND];
  const foreign = Object.keys(values).find((flag) => !own.includes(flag));
  if (foreign !== undefined) throw new UsageError(`${name} has no option --${foreign}. Use ${name} --help.`);
  const [least, most] = command.arguments;
  if (given.length >= least && given.length <= most) return;
  throw new UsageError(`Usage: ${commandLine("pos")} ${command.usage}`);
}

function clientOf(settings: Settings, baseUrl: string): PosClient {
  const [posId, signingKey] = [settings.must("POS_ID"), settings.must("SIGNING_KEY")];
  const password = settings.get("PASSWORD");
  const tokens = new TokenFile(sessionPath(settings, baseUrl, posId), password ?? signingKey);
  return new PosClient({ baseUrl, posId, password, merchantId: settings.must("MERCHANT_ID"), signingKey, tokens });
}

/** Ctrl-C stops waiting, not the transaction: the error says how to ask again. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

// The reader has closed the output, as `head` does after enough lines.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

await runCommand(run);
