/** `npm run pos -- sale 12.50`, `npx payment-terminal-client pos sale 12.50`: every call of a point of sale from a shell. */
import { PosClient, PosError, type TransferProgress } from "../client/pos.ts";
import { isTransactionType } from "../protocol/transfer-types.ts";
import { commandLine, IN_CLONE, readArguments, UsageError, VERSION } from "./invocation.ts";
import { COMMANDS } from "./pos/commands.ts";
import { type Command, flagLines, FLAGS, OF_EVERY_COMMAND } from "./pos/flags.ts";
import { ProgressLine } from "./pos/progress-line.ts";
import { EXIT, errorJson, errorText, exitStatusOf, textOf } from "./pos/report.ts";
import { TokenFile, sessionPath } from "./pos/token-file.ts";
import { Settings } from "./settings.ts";

function usage(): string {
  const commands = Object.values(COMMANDS).map((command) => `  ${command.usage.padEnd(22)}${command.does}`);
  return `${commandLine("pos")} COMMAND [flags]

${commands.join("\n")}

COMMAND --help shows the flags of a command. Those of every command:

${flagLines(OF_EVERY_COMMAND)}

Set POS_ID, MERCHANT_ID, DEVICE_ID, and the secrets SIGNING_KEY and PASSWORD in the environment or in that file.
Without PASSWORD, logins are signed with SIGNING_KEY.${IN_CLONE ? " Without POS_ID, the demo of npm start is used." : ""}

Exit status: 0: 00, 1: 11, 2: 22, 3: failed, no money moved, 4: failed, outcome unknown, 5: wrong usage.`;
}

function usageOf(command: Command): string {
  const flags = [...command.flags, ...OF_EVERY_COMMAND];
  return `${commandLine("pos")} ${command.usage} [flags]: ${command.does}\n\n${flagLines(flags)}`;
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, FLAGS);
  const [name, ...rest] = positionals;
  if (values.version === true) {
    console.log(VERSION);
    return 0;
  }
  if (name === undefined) {
    if (values.help !== true) throw new UsageError(usage());
    console.log(usage());
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`Unknown command ${name}. See ${commandLine("pos")} --help.`);
  if (values.help === true) {
    console.log(usageOf(command));
    return 0;
  }
  const own: readonly string[] = [...command.flags, ...OF_EVERY_COMMAND];
  const foreign = Object.keys(values).find((flag) => !own.includes(flag));
  if (foreign !== undefined) throw new UsageError(`${name} has no option --${foreign}. Use ${name} --help.`);
  const [least, most] = command.arguments;
  if (rest.length < least || rest.length > most) throw new UsageError(`Usage: ${commandLine("pos")} ${command.usage}`);

  const settings = await Settings.read(values.env);
  const baseUrl = settings.url(values.url);
  const [posId, signingKey] = [settings.must("POS_ID"), settings.must("SIGNING_KEY")];
  const password = settings.get("PASSWORD");
  const pos = new PosClient({
    baseUrl,
    posId,
    password,
    merchantId: settings.must("MERCHANT_ID"),
    signingKey,
    tokens: new TokenFile(sessionPath(settings, baseUrl, posId), password ?? signingKey),
  });
  const progress = new ProgressLine(process.stderr);
  const json = values.json === true;
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
        ...(progress.isSeen && !json ? { onProgress: (state: TransferProgress) => progress.show(state) } : {}),
        ...secondsOption("within", values.within, 1, (number) => ({ within: number * 1_000 })),
        ...secondsOption("wait", values.wait, 0, (number) => ({ wait: number })),
      },
    });
    progress.clear();
    if (shown === null) return 0;
    console.log(textOf(shown, json));
    return exitStatusOf(shown);
  } catch (error) {
    progress.clear();
    if (!(error instanceof PosError)) throw error;
    if (json) console.log(errorJson(error));
    else console.error(errorText(error, isTransactionType(name)));
    return error.outcomeUnknown ? EXIT.failedUnknown : EXIT.failed;
  }
}

function secondsOption<T>(
  name: string,
  given: string | undefined,
  least: number,
  option: (number: number) => T,
): T | object {
  if (given === undefined) return {};
  if (!/^[0-9]{1,6}$/.test(given) || Number(given) < least) {
    throw new UsageError(`--${name} must be a number of seconds, ${least} or more.`);
  }
  return option(Number(given));
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

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = EXIT.usage;
}
