/** `npm run pos -- sale 12.50`, `npx payment-terminal-client pos sale 12.50`: every call of a point of sale from a shell. */
import { parseArgs } from "node:util";
import { PosClient, PosError, type TransferProgress } from "../client/pos.ts";
import { IN_CLONE, commandLine } from "./invocation.ts";
import { COMMANDS } from "./pos/commands.ts";
import { ProgressLine } from "./pos/progress-line.ts";
import { EXIT, errorText, exitStatusOf, textOf } from "./pos/report.ts";
import { TokenFile, sessionPath } from "./pos/token-file.ts";
import { Settings, UsageError } from "./settings.ts";

const TEXT = { type: "string" } as const;
const SWITCH = { type: "boolean" } as const;
const FLAGS = {
  url: TEXT,
  env: TEXT,
  device: TEXT,
  reference: TEXT,
  label: TEXT,
  method: TEXT,
  channel: TEXT,
  note: TEXT,
  metadata: TEXT,
  product: TEXT,
  promo: TEXT,
  copies: TEXT,
  about: TEXT,
  image: TEXT,
  after: TEXT,
  follow: SWITCH,
  day: TEXT,
  status: TEXT,
  type: TEXT,
  limit: TEXT,
  wait: TEXT,
  within: TEXT,
  port: TEXT,
  json: SWITCH,
  help: SWITCH,
};

function usage(): string {
  const commands = Object.values(COMMANDS).map((command) => `  ${command.usage.padEnd(22)}${command.does}`);
  return `${commandLine("pos")} COMMAND [flags]

${commands.join("\n")}

  --url URL             the gateway (default: GATEWAY_URL, or http://127.0.0.1:8787)
  --device ID           the terminal (default: DEVICE_ID)
  --reference TEXT      the transaction's referenceId; use the same one again to ask for its outcome
  --method NAME         for a sale: bankCard, qrMerchScan, qrCustScan (with --channel WALLET)
  --label --note --metadata --product --promo --copies 0|1|2
  --wait SECONDS        the longest time that the gateway waits for the outcome
  --within SECONDS      the time for the call with all its retries
  --after NUMBER        the last event that you have read; 0 for all that are kept. Also of webhooks replay and listen
  --follow              waits for the next event, until Ctrl-C
  --port NUMBER         of webhooks listen, which shows events on this machine until Ctrl-C
  --day DATE            the business day of transactions and totals: 2026-11-20
  --status --type --about REFERENCE --limit NUMBER: of transactions
  --json                prints one line of JSON, also for errors; one line per event and transaction
  --env FILE            reads values that the environment lacks from lines NAME=value

Set POS_ID, MERCHANT_ID, DEVICE_ID, and the secrets SIGNING_KEY and PASSWORD in the environment or in that file.\nWithout PASSWORD, logins are signed with SIGNING_KEY.${IN_CLONE ? " Without POS_ID, the demo of npm start is used." : ""}

Exit status: 0: 00, 1: 11, 2: 22, 3: failed, no money moved, 4: failed, outcome unknown, 5: wrong usage.`;
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  const [name, ...rest] = positionals;
  if (values.help === true || name === undefined) {
    console.log(usage());
    return values.help === true ? 0 : EXIT.usage;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`Unknown command ${name}. See ${commandLine("pos")} --help.`);
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
        ...seconds("within", values.within, (number) => ({ within: Math.max(1, number * 1_000) })),
        ...seconds("wait", values.wait, (number) => ({ wait: number })),
      },
    });
    progress.clear();
    if (shown === null) return 0;
    console.log(textOf(shown, json));
    return exitStatusOf(shown);
  } catch (error) {
    progress.clear();
    if (!(error instanceof PosError)) throw error;
    if (json) console.log(errorText(error, true));
    else console.error(errorText(error, false));
    return error.outcomeUnknown ? EXIT.failedUnknown : EXIT.failed;
  }
}

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function seconds<T>(name: string, given: string | undefined, option: (number: number) => T): T | object {
  if (given === undefined) return {};
  if (!/^[0-9]{1,6}$/.test(given)) throw new UsageError(`--${name} must be a number of seconds.`);
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
