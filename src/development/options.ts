import { parseArgs } from "node:util";

export interface StartOptions {
  /** Ends after the first sale. */
  once: boolean;
  /** Starts only the gateway, without the demo. */
  bare: boolean;
  /** Terminals of the demo's shops. */
  fleet: number;
  port: number;
  /** The data folder, as wrangler takes it. */
  persistTo: string;
  /** All other flags, for `wrangler dev`. */
  forWrangler: string[];
}

export const DEFAULT_PORT = 8787;
export const DEFAULT_FOLDER = ".wrangler/state";

/** Terminals of the demo's shops: enough for lists and charts, and light on a laptop. */
const FLEET = 10;
const MOST_FLEET = 200;

export const USAGE = `npm start -- [flags] [flags of wrangler dev]

Starts the gateway on this machine with a demo account, a simulated terminal, the console and the documentation, and
makes one sale. Then it adds two shops with simulated terminals, for the operator's page. Press Ctrl-C to stop. The data
stays.

  --once                   stops after the sale; exit status 0 only if it is approved
  --bare                   starts only the gateway, without the demo
  --fleet ${FLEET}               the terminals of the two shops, at most ${MOST_FLEET}; 0 for none
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
    options: {
      once: { type: "boolean" },
      bare: { type: "boolean" },
      help: { type: "boolean" },
      fleet: { type: "string" },
    },
    strict: false,
    tokens: true,
  });
  const own = new Set<number>();
  let once = false;
  let bare = false;
  let fleet = String(FLEET);
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (token.rawName === "--fleet") {
      fleet = token.value ?? "";
      if (token.inlineValue === false) own.add(token.index + 1);
    } else if (token.value !== undefined) continue;
    else if (token.rawName === "--once") once = true;
    else if (token.rawName === "--bare") bare = true;
    else if (token.rawName === "--help") return "help";
    else continue;
    own.add(token.index);
  }
  if (!/^\d{1,3}$/u.test(fleet) || Number(fleet) > MOST_FLEET) {
    return { mistake: `Use --fleet with a number from 0 to ${MOST_FLEET}${fleet === "" ? "" : `, not ${fleet}`}.` };
  }
  if (once && bare) return { mistake: "Use --once or --bare, not both: without the demo there is no sale." };
  const port = Number(environment.PORT || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    return { mistake: `PORT must be a number from 1 to 65535, not ${environment.PORT}.` };
  }
  return {
    once,
    bare,
    fleet: Number(fleet),
    port,
    persistTo: environment.PERSIST_TO || DEFAULT_FOLDER,
    forWrangler: args.filter((_, index) => !own.has(index)),
  };
}
