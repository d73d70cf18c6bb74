import { parseArgs } from "node:util";

export interface StartOptions {
  /** Ends after the first sale. */
  once: boolean;
  /** Starts only the gateway, without the demo. */
  bare: boolean;
  port: number;
  /** The data folder, as wrangler takes it. */
  persistTo: string;
  /** All other flags, for `wrangler dev`. */
  forWrangler: string[];
}

export const DEFAULT_PORT = 8787;
export const DEFAULT_FOLDER = ".wrangler/state";

export const USAGE = `npm start -- [flags] [flags of wrangler dev]

Starts the gateway on this machine with a demo account, a simulated terminal, the console and the documentation, and
makes one sale. Press Ctrl-C to stop. The data stays.

  --once                   stops after the sale; exit status 0 only if it is approved
  --bare                   starts only the gateway, without the demo
  --help                   prints this text
  --var REQUEST_SECONDS:40 and all other flags are passed to wrangler dev

From the environment:
  PORT=${DEFAULT_PORT}                the port, on 127.0.0.1
  PERSIST_TO=${DEFAULT_FOLDER}  the data folder, for one gateway at a time

The first start creates the gateway's secrets in .dev.vars. The data is unreadable without them.`;

/** Reads the command line, `PORT` and `PERSIST_TO`. Returns a message if they are invalid. */
export function readOptions(
  args: string[],
  environment: { PORT?: string | undefined; PERSIST_TO?: string | undefined },
): StartOptions | { mistake: string } | "help" {
  const { tokens } = parseArgs({
    args,
    options: { once: { type: "boolean" }, bare: { type: "boolean" }, help: { type: "boolean" } },
    strict: false,
    tokens: true,
  });
  const own = new Set<number>();
  let once = false;
  let bare = false;
  for (const token of tokens) {
    if (token.kind !== "option" || token.value !== undefined) continue;
    if (token.rawName === "--once") once = true;
    else if (token.rawName === "--bare") bare = true;
    else if (token.rawName === "--help") return "help";
    else continue;
    own.add(token.index);
  }
  if (once && bare) return { mistake: "Use --once or --bare, not both: without the demo there is no sale." };
  const port = Number(environment.PORT || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    return { mistake: `PORT must be a number from 1 to 65535, not ${environment.PORT}.` };
  }
  return {
    once,
    bare,
    port,
    persistTo: environment.PERSIST_TO || DEFAULT_FOLDER,
    forWrangler: args.filter((_, index) => !own.has(index)),
  };
}
