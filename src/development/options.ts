import { parseArgs } from "node:util";
import { VERSION } from "../command-line/invocation.ts";

export interface StartOptions {
  /** Ends after the first sale. */
  once: boolean;
  /** Starts only the gateway, without the demo. */
  bare: boolean;
  logs?: boolean;
  fleet: number;
  port: number;
  /** The data folder, as wrangler takes it. */
  persistTo: string;
  /** All other flags, for `wrangler dev`. */
  forWrangler: string[];
}

export const DEFAULT_PORT = 8787;
export const DEFAULT_FOLDER = ".wrangler/state";

/** Enough for lists and charts, and light on a laptop. */
const FLEET = 10;
const MOST_FLEET = 200;

const USAGE = `npm start -- [flags] [flags of wrangler dev]

Starts the gateway on this machine with a demo account, a simulated terminal, the console and the documentation, and
makes one sale. Then it adds two shops with simulated terminals, for the operator's page. Press Ctrl-C to stop. The data
stays.

  --once                   stops after the sale; exit status 0 only if it is approved
  --bare                   starts only the gateway, without the demo
  --fleet ${FLEET}               the terminals of the two shops, at most ${MOST_FLEET}; 0 for none
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
  const { own, forWrangler } = separated(args);
  if (own.has("--help")) return USAGE;
  if (own.has("--version")) return VERSION;
  const [once, bare, fleet] = [own.has("--once"), own.has("--bare"), own.get("--fleet") ?? String(FLEET)];
  if (!/^\d{1,3}$/u.test(fleet) || Number(fleet) > MOST_FLEET) {
    return { mistake: `Use --fleet with a number from 0 to ${MOST_FLEET}${fleet === "" ? "" : `, not ${fleet}`}.` };
  }
  if (once && bare) return { mistake: "Use --once or --bare, not both: without the demo there is no sale." };
  const port = Number(environment.PORT || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    return { mistake: `PORT must be a number from 1 to 65535, not ${environment.PORT}.` };
  }
  const logs = own.has("--logs");
  return {
    once,
    bare,
    logs,
    fleet: Number(fleet),
    port,
    persistTo: environment.PERSIST_TO || DEFAULT_FOLDER,
    forWrangler,
  };
}

/** `own`: the flags of `npm start` with their values. */
function separated(args: string[]): { own: Map<string, string>; forWrangler: string[] } {
  const { tokens } = parseArgs({ args, options: { fleet: { type: "string" } }, strict: false, tokens: true });
  const own = new Map<string, string>();
  const places = new Set<number>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { rawName, value, index, inlineValue } = token;
    if (rawName !== "--fleet" && (value !== undefined || !SWITCHES.includes(rawName))) continue;
    own.set(rawName, value ?? "");
    places.add(index);
    if (inlineValue === false) places.add(index + 1);
  }
  return { own, forWrangler: args.filter((_, index) => !places.has(index)) };
}
