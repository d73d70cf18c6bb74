import { type Command, InvalidArgumentError } from "commander";
import { UsageError } from "../../sdk/command-line/invocation.ts";
import { newProgram, option } from "../../sdk/command-line/program.ts";

export interface StartOptions {
  /** Ends after the first sale. */
  once: boolean;
  /** Starts only the gateway, without the demo. */
  bare: boolean;
  logs?: boolean;
  port: number;
  /** The data folder, as wrangler takes it. */
  persistTo: string;
  /** Variables of the Worker, from `--var NAME:VALUE`. */
  vars: Record<string, string>;
}

export const DEFAULT_PORT = 8787;
export const DEFAULT_FOLDER = ".wrangler/state";

type Environment = Record<string, string | undefined>;

/** Also reads `PORT` and `PERSIST_TO`. @param run resolves to the exit status */
export function startProgram(
  run: (options: StartOptions) => Promise<number>,
  environment: Environment = process.env,
): Command {
  const does =
    "Starts the gateway on this machine with a demo account, a simulated terminal, the console and the documentation, and " +
    "makes one sale. Press Ctrl-C to stop. The data stays.";
  return newProgram("npm start --", does, {
    examples: [
      ["--once", "stops after the sale; exit status 0 only if it is approved"],
      ["--var REQUEST_SECONDS:40", "with another setting"],
    ],
    statuses: { 0: "ended by you", 1: "it could not start, or the sale failed", 5: "wrong usage" },
    more:
      `From the environment: PORT (default: ${DEFAULT_PORT}), on 127.0.0.1; PERSIST_TO (default: ${DEFAULT_FOLDER}), the data ` +
      "folder, for one gateway at a time. The first start creates the gateway's secrets in .dev.vars. They encrypt the keys and " +
      "secrets in the data: without them, the gateway cannot use the data. Transactions and the audit log are not encrypted.",
  })
    .option("--once", "stops after the sale")
    .addOption(option("--bare", "starts only the gateway, without the demo").conflicts("once"))
    .option("--logs", "shows the gateway's log: one line of JSON per request and event")
    .option("--var <NAME:VALUE>", "sets a variable of wrangler.toml; may be repeated", readVariable)
    .action(async (flags: Partial<StartOptions> & { var?: StartOptions["vars"] }) => {
      const { once = false, bare = false, logs = false, var: vars = {} } = flags;
      const port = Number(environment["PORT"] || DEFAULT_PORT);
      if (!Number.isInteger(port) || port < 1 || port > 65_535) {
        throw new UsageError(`PORT must be a number from 1 to 65535, not ${environment["PORT"]}.`);
      }
      process.exitCode = await run({
        once,
        bare,
        logs,
        vars,
        port,
        persistTo: environment["PERSIST_TO"] || DEFAULT_FOLDER,
      });
    });
}

function readVariable(given: string, before?: StartOptions["vars"]): StartOptions["vars"] {
  const [, name, value = ""] = /^([A-Z_]+):(.*)$/su.exec(given) ?? [];
  if (name === undefined) throw new InvalidArgumentError("Use NAME:VALUE.");
  return { ...before, [name]: value };
}
