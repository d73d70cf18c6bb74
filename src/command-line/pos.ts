/** `npm run pos -- sale 12.50`, `npx payment-terminal-client pos sale 12.50`: every call of a point of sale from a shell. */
import { PosClient, PosError } from "../client/pos.ts";
import { isTransactionType } from "../protocol/transfer-types.ts";
import { SECOND } from "../time/units.ts";
import { checkUse, commandIn, commandLines, usageOf } from "./commands.ts";
import { flagLines, readFlags, toldBy } from "./flags.ts";
import { commandLine, IN_CLONE, runCommand, UsageError } from "./invocation.ts";
import { COMMANDS } from "./pos/commands.ts";
import { FLAGS, flagsNamed, OF_EVERY_COMMAND } from "./pos/flags.ts";
import { ProgressLine } from "./pos/progress-line.ts";
import { EXIT, errorJson, errorText, exitStatusOf, textOf } from "./pos/report.ts";
import { TokenFile, sessionPath } from "./pos/token-file.ts";
import { Settings } from "./settings.ts";

const PROGRAM = commandLine("pos");

function usage(): string {
  return `${PROGRAM} COMMAND [flags]

${commandLines(COMMANDS, 22)}

COMMAND --help shows the flags of a command. Those of every command:

${flagLines(flagsNamed(OF_EVERY_COMMAND), 22)}

Set POS_ID, MERCHANT_ID, DEVICE_ID, and the secrets SIGNING_KEY and PASSWORD in the environment or in that file.
Without PASSWORD, logins are signed with SIGNING_KEY.${IN_CLONE ? " Without POS_ID, the demo of npm start is used." : ""}

Exit status: 0: 00, 1: 11, 2: 22, 3: failed, no money moved, 4: failed, outcome unknown, 5: wrong usage.`;
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(args, FLAGS);
  const found = commandIn(PROGRAM, COMMANDS, positionals);
  const flags = flagsNamed([...(found?.command.flags ?? []), ...OF_EVERY_COMMAND]);
  const told = toldBy(values, () => (found === null ? usage() : usageOf(PROGRAM, found.command, flags)));
  if (told !== null) {
    console.log(told);
    return EXIT.approved;
  }
  if (found === null) throw new UsageError(usage());
  checkUse(PROGRAM, found, Object.keys(flags), values);
  const settings = await Settings.read(values.env);
  const pos = clientOf(settings, settings.url(values.url));
  const json = values.json === true;
  const progress = new ProgressLine(process.stderr, isTransactionType(found.name) ? found.name : undefined);
  const seconds = values.within;
  try {
    const shown = await found.command.run({
      pos,
      args: found.args,
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
    return failed(error, found.name, json);
  }
}

/** Tells what went wrong, and returns the exit status. */
function failed(error: unknown, name: string, json: boolean): number {
  if (!(error instanceof PosError)) throw error;
  if (json) console.log(errorJson(error));
  else console.error(errorText(error, isTransactionType(name)));
  return error.outcomeUnknown ? EXIT.failedUnknown : EXIT.failed;
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
