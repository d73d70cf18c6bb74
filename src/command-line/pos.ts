/** `npm run pos -- sale 12.50`, `npx payment-terminal-client pos sale 12.50` */
import { PosClient, PosError } from "../client/pos.ts";
import { isTransactionType } from "../protocol/transfer-types.ts";
import { SECOND } from "../time/units.ts";
import { begun } from "./commands.ts";
import { commandLine, IN_CLONE, onEnd, runCommand } from "./invocation.ts";
import { COMMANDS } from "./pos/commands.ts";
import { type Command, FLAGS, flagsNamed, OF_EVERY_COMMAND } from "./pos/flags.ts";
import { EXIT, errorJson, errorText, ProgressLine, textOf, usageJson } from "./pos/report.ts";
import { TokenFile, sessionPath } from "./pos/token-file.ts";
import type { Settings } from "./settings.ts";

const SHELL = {
  program: commandLine("pos"),
  commands: COMMANDS,
  column: 22,
  flags: FLAGS,
  flagsOf: ({ flags = [] }: Command) => flagsNamed(flags),
  ofEvery: flagsNamed(OF_EVERY_COMMAND),
  more: `Set POS_ID, MERCHANT_ID, DEVICE_ID, and the secrets SIGNING_KEY and PASSWORD in the environment or in that file.
Without PASSWORD, logins are signed with SIGNING_KEY.${IN_CLONE ? " Without POS_ID, the demo of npm start is used." : ""}

Exit status: 0: 00, 1: 11, 2: 22, 3: failed, no money moved, 4: failed, outcome unknown, 5: wrong usage.`,
};

async function run(args: string[]): Promise<number> {
  const shell = await begun(args, SHELL);
  if (shell === null) return EXIT.approved;
  const { name, command, flags: values, settings, url } = shell;
  const pos = clientOf(settings, url);
  const json = values.json === true;
  const progress = new ProgressLine(process.stderr, isTransactionType(name) ? name : undefined);
  const seconds = values.within;
  try {
    const shown = await command.run({
      pos,
      args: shell.args,
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
    return shown.status ?? EXIT.approved;
  } catch (error) {
    progress.clear();
    return failed(error, name, json);
  }
}

/** Returns the exit status. */
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
  onEnd(() => controller.abort());
  return controller.signal;
}

// The reader has closed the output, as `head` does after enough lines.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

await runCommand(run, undefined, usageJson);
