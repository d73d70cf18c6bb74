import { parseArgs } from "node:util";

export interface StartOptions {
  /** End after the first sale. */
  once: boolean;
  /** The gateway alone, without the demo. */
  bare: boolean;
  port: number;
  /** The data folder, as wrangler takes it. */
  persistTo: string;
  /** Everything else: for `wrangler dev`. */
  forWrangler: string[];
}

export const DEFAULT_PORT = 8787;
export const DEFAULT_FOLDER = ".wrangler/state";

export const USAGE = `npm start -- [flags] [flags of wrangler dev]

Starts the gateway on this machine, with a demo account, a simulated terminal, one sale through both, the console and
the documentation. Ctrl-C ends it; the data stays.

  --once                   ends after the sale; exit status 0 only if it was approved
  --bare                   the gateway alone, without the demo
  --help                   this text
  --var REQUEST_SECONDS:40 and every other flag goes to wrangler dev

From the environment:
  PORT=${DEFAULT_PORT}                the port, on 127.0.0.1
  PERSIST_TO=${DEFAULT_FOLDER}  the data folder, for one gateway at a time

The secrets of the gateway are in .dev.vars, made by the first start. The data cannot be read without them.`;

/** Reads the command line and `PORT` and `PERSIST_TO`. A sentence where they make no sense. */
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
  if (once && bare) return { mistake: "Either --once or --bare: without the demo there is no sale to end after." };
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
