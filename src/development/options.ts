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

/** Reads the command line and `PORT` and `PERSIST_TO`. A sentence where they make no sense. */
export function readOptions(
  args: string[],
  environment: { PORT?: string | undefined; PERSIST_TO?: string | undefined },
): StartOptions | { mistake: string } {
  const { tokens } = parseArgs({
    args,
    options: { once: { type: "boolean" }, bare: { type: "boolean" } },
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
