import { parseArgs, type ParseArgsConfig } from "node:util";
import { UsageError } from "./settings.ts";

/** The exit status of every command for wrong usage. */
export const WRONG_USAGE = 5;

type Flags = NonNullable<ParseArgsConfig["options"]>;

/** As `parseArgs`; throws a UsageError that says which argument is wrong. It repeats no value, which may be a secret. */
export function readArguments<Options extends Flags>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(argumentMistake(error));
  }
}

/** What is wrong with the arguments that `parseArgs` refused. */
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
