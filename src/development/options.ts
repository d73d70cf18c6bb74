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
  /** All other flags, for `wrangler dev`. */
  forWrangler: string[];
}

export const DEFAULT_PORT = 8787;
export const DEFAULT_FOLDER = ".wrangler/state";

const USAGE = `npm start -- [flags] [flags of wrangler dev]

Starts the gateway on this machine with a demo account, a simulated terminal, the console and the documentation, and
makes one sale. Press Ctrl-C to stop. The data stays.

  --once                   stops after the sale; exit status 0 only if it is approved
  --bare                   starts only the gateway, without the demo
  --logs                   shows the gateway's log: one line of JSON per request and event
  --help                   prints this text
  --version                prints the version
  --var REQUEST_SECONDS:40 and all other flags are passed to wrangler dev

From the environment:
  PORT=${DEFAULT_PORT}                the port, on 127.0.0.1
  PERSIST_TO=${DEFAULT_FOLDER}  the data folder, for one gateway at a time

The first start creates the gateway's secrets in .dev.vars. The data is unreadable without them.`;

const SWITCHES = ["--once", "--bare", "--logs", "--help", "--version"];

/**
 * Also reads `PORT` and `PERSIST_TO`. Returns a message if something is invalid, and a text to print for `--help` or
 * `--version`.
 */
export function readOptions(
  args: string[],
  environment: { PORT?: string | undefined; PERSIST_TO?: string | undefined },
): StartOptions | { mistake: string } | string {
  const own = new Set(args.filter((word) => SWITCHES.includes(word)));
  if (own.has("--help")) return USAGE;
  if (own.has("--version")) return VERSION;
  const [once, bare] = [own.has("--once"), own.has("--bare")];
  if (once && bare) return { mistake: "Use --once or --bare, not both: without the demo there is no sale." };
  const port = Number(environment.PORT || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    return { mistake: `PORT must be a number from 1 to 65535, not ${environment.PORT}.` };
  }
  return {
    once,
    bare,
    logs: own.has("--logs"),
    port,
    persistTo: environment.PERSIST_TO || DEFAULT_FOLDER,
    forWrangler: args.filter((word) => !own.has(word)),
  };
}
