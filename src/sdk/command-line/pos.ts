/** `npm run pos -- sale 12.50`, `npx payment-terminal-client pos sale 12.50` */
import type { Command } from "commander";
import { PosClient, PosError } from "../client/pos.ts";
import { isTransactionType } from "../../protocol/transfer-types.ts";
import { SECOND } from "../../protocol/time/units.ts";
import { onEnd } from "./invocation.ts";
import type { PosCall, PosFlags, RunPos } from "./pos/call.ts";
import { posProgram } from "./pos/commands.ts";
import { runProgram } from "./program.ts";
import { POS_EXIT, errorJson, errorText, ProgressLine, answerText, usageJson } from "./pos/report.ts";
import { TokenFile, sessionPath } from "./pos/token-file.ts";
import { Settings } from "./settings.ts";

/** Runs the command that was given, and sets the exit status. */
async function perform(command: Command, run: RunPos): Promise<void> {
  const flags = command.optsWithGlobals<PosFlags>();
  const settings = await Settings.read(flags.env);
  const pos = createClient(settings, settings.url(flags.url));
  const name = command.name();
  const json = flags.json === true;
  const progress = new ProgressLine(process.stderr, isTransactionType(name) ? name : undefined);
  const call: PosCall = {
    pos,
    args: command.args,
    flags,
    deviceId: () => flags.device ?? settings.must("DEVICE_ID"),
    announce: (referenceId) => console.error(`referenceId ${referenceId}`),
    print: (one) => {
      progress.clear();
      console.log(answerText(one, json));
    },
    complain: (message) => {
      progress.clear();
      console.error(message);
    },
    options: {
      signal: interruption(),
      // Programs get only the answer.
      onProgress: progress.isSeen && !json ? (state) => progress.show(state) : undefined,
      within: flags.within === undefined ? undefined : flags.within * SECOND,
      wait: flags.wait,
    },
  };
  try {
    const shown = await run(call, ...command.args);
    progress.clear();
    if (shown !== null) call.print(shown);
    process.exitCode = shown?.status ?? POS_EXIT.approved;
  } catch (error) {
    progress.clear();
    process.exitCode = failed(error, name, json);
  }
}

/** Returns the exit status. */
function failed(error: unknown, name: string, json: boolean): number {
  if (!(error instanceof PosError)) throw error;
  if (json) console.log(errorJson(error));
  else console.error(errorText(error, isTransactionType(name)));
  return error.outcomeUnknown ? POS_EXIT.failedUnknown : POS_EXIT.failed;
}

function createClient(settings: Settings, baseUrl: string): PosClient {
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

await runProgram(posProgram(perform), undefined, usageJson);
