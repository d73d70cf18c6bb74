import manifest from "../client/package.json" with { type: "json" };
import { join } from "node:path";
import { parseArgs, type ParseArgsConfig } from "node:util";

/** False in the package payment-terminal-client. */
export const IN_CLONE = import.meta.url.endsWith(".ts");

export const VERSION = `${manifest.name} ${manifest.version}`;

/** In the clone, next to the database of `npm start`. */
export const DATA_FOLDER = IN_CLONE ? join(".wrangler", "state") : ".payment-terminal-client";

/** For usage texts. `quiet`: npm prints nothing on standard output. */
export function commandLine(name: "conformance" | "operator" | "pos" | "terminal", { quiet = false } = {}): string {
  return IN_CLONE ? `npm run ${quiet ? "--silent " : ""}${name} --` : `npx payment-terminal-client ${name}`;
}

/** Calls `end` on Ctrl-C, on `kill`, and when the parent process ends. */
export function onEnd(end: () => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  process.on("disconnect", end);
}

/** The message is for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const WRONG_USAGE = 5;

type Flags = NonNullable<ParseArgsConfig["options"]>;

/** `parseArgs` that throws a UsageError. The message repeats no value, which may be a secret. */
export function readArguments<Options extends Flags>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(argumentMistake(error));
  }
}

export function argumentMistake(error: unknown): string {
  const [said, code] = error instanceof Error && "code" in error ? [error.message, error.code] : [String(error), ""];
  const name = /'(?:-\w, )?(--?[^\s'=]+)/.exec(said)?.[1] ?? "An option";
  switch (code) {
    case "ERR_PARSE_ARGS_UNKNOWN_OPTION":
      return `There is no option ${name}. Use --help.`;
    case "ERR_PARSE_ARGS_INVALID_OPTION_VALUE":
      return said.includes("does not take") ? `${name} takes no value.` : `${name} needs a value.`;
    case "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL":
      return "There is an argument too many. Use --help.";
    default:
      return said;
  }
}

/**
 * Sets the exit status of the process. A user's mistake is printed as one line, with `--json` as JSON on standard output;
 * any other error is the program's mistake.
 *
 * @param statusOf the exit status for an error other than UsageError; null: the program's mistake
 * @param jsonOf the members of the printed JSON
 */
export async function runCommand(
  run: (args: string[]) => Promise<number>,
  statusOf: (error: Error) => number | null = () => null,
  jsonOf: (message: string) => object = (message) => ({ error: message }),
): Promise<void> {
  try {
    process.exitCode = await run(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const status = error instanceof UsageError ? WRONG_USAGE : statusOf(error);
    if (status === null) throw error;
    // Not from the parsed flags: the mistake may be one of them.
    if (process.argv.includes("--json")) console.log(JSON.stringify(jsonOf(error.message)));
    else console.error(error.message);
    process.exitCode = status;
  }
}
