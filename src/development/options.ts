import { parseArgs } from "node:util";
import { VERSION } from "../command-line/invocation.ts";

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

const USAGE = `npm start -- [flags]

Starts the gateway on this machine with a demo account, a simulated terminal, the console and the documentation, and
makes one sale. Press Ctrl-C to stop. The data stays.

  --once                   stops after the sale; exit status 0 only if it is approved
  --bare                   starts only the gateway, without the demo
  --logs                   shows the gateway's log: one line of JSON per request and event
  --var REQUEST_SECONDS:40 sets a variable of wrangler.toml; may be repeated
  --help                   prints this text
  --version                prints the version

From the environment:
  PORT=${DEFAULT_PORT}                the port, on 127.0.0.1
  PERSIST_TO=${DEFAULT_FOLDER}  the data folder, for one gateway at a time

The first start creates the gateway's secrets in .dev.vars. They encrypt the keys and secrets in the data: without them, the
gateway cannot use the data. Transactions and the audit log are not encrypted.`;

const FLAGS = {
  once: { type: "boolean" },
  bare: { type: "boolean" },
  logs: { type: "boolean" },
  var: { type: "string", multiple: true },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

/**
 * Also reads `PORT` and `PERSIST_TO`. Returns a message if something is invalid, and a text to print for `--help` or
 * `--version`.
 */
export function readOptions(
  args: string[],
  environment: { PORT?: string | undefined; PERSIST_TO?: string | undefined },
): StartOptions | { mistake: string } | string {
  const read = parseFlags(args);
  if (typeof read === "string") return { mistake: `${read} Use --help.` };
  const { help, version, once = false, bare = false, logs = false, var: pairs = [] } = read;
  if (help === true) return USAGE;
  if (version === true) return VERSION;
  const wrong = pairs.find((pair) => !/^[A-Z_]+:/u.test(pair));
  if (wrong !== undefined) return { mistake: `Use --var with NAME:VALUE, not ${wrong}.` };
  if (once && bare) return { mistake: "Use --once or --bare, not both: without the demo there is no sale." };
  const port = Number(environment.PORT || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    return { mistake: `PORT must be a number from 1 to 65535, not ${environment.PORT}.` };
  }
  return {
    once,
    bare,
    logs,
    port,
    persistTo: environment.PERSIST_TO || DEFAULT_FOLDER,
    vars: Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf(":")), pair.slice(pair.indexOf(":") + 1)]),
    ),
  };
}

/** The flags, or a sentence about one that is wrong. */
function parseFlags(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS }).values;
  } catch (error) {
    return error instanceof Error ? `${error.message}.`.replace(/\.\.$/u, ".") : String(error);
  }
}
