/** What every command of the project shares: help, version, options, and how it ends after a mistake. */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import pc from "picocolors";
import { IN_CLONE, UsageError, VERSION, WRONG_USAGE } from "./invocation.ts";

interface ProgramTexts {
  /** Command lines without the words that start the program, with what they do. */
  examples?: readonly (readonly [line: string, does: string])[];
  /** What each exit status means, by status. */
  statuses: Readonly<Record<number, string>>;
  /** The end of the help. */
  more?: string;
}

function section(title: string, lines: readonly (readonly [string, string])[]): string {
  const rows = lines.map(([term, text]) => `  ${term}  ${text}\n`);
  return rows.length === 0 ? "" : `\n${pc.bold(title)}\n${rows.join("")}`;
}

/** @param words what a person types to start the program */
export function newProgram(words: string, does: string, { examples = [], statuses, more = "" }: ProgramTexts): Command {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, text]) => [`${words} ${line.padEnd(width)}`, text] as const);
  return new Command(words)
    .description(does)
    .version(VERSION, "--version", "prints the version")
    .helpOption("-h, --help", "prints this text")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 24,
      subcommandTerm: (command) => `${command.name()} ${command.usage().replaceAll(/\[(?:options|command)\]/gu, "")}`,
      styleTitle: (title) => pc.bold(title),
    })
    .addHelpText("after", ({ command }) => {
      const help = command.createHelp();
      const end = more === "" ? "" : `\n${help.boxWrap(more, process.stdout.columns || 80)}\n`;
      return section("Examples:", lines) + end + section("Exit status:", Object.entries(statuses));
    });
}

const USUAL_GATEWAY = IN_CLONE ? "that of npm start" : "http://127.0.0.1:8787";

export const URL_OPTION = option("--url <URL>", `the gateway (default: GATEWAY_URL, or ${USUAL_GATEWAY})`);

export const ENV_OPTION = option(
  "--env <FILE>",
  "reads values that the environment lacks from lines NAME=value; only you may read the file",
);

/** The options of every command that calls a gateway. */
export function withGateway(program: Command): Command {
  return program.addOption(URL_OPTION).addOption(ENV_OPTION);
}

/** The options that `withGateway` adds. */
export interface GatewayOptions {
  url?: string;
  env?: string;
}

/** Adds a command. `usage` names it and its arguments. */
type AddCommand<Run> = (usage: string, does: string, run: Run, options?: readonly Option[]) => void;

/**
 * Adds commands to a program or to a group, which by itself does what its `list` does.
 *
 * @param perform runs the command that was given, with its options, and sets the exit status
 */
export function addingTo<Run>(group: Command, perform: (command: Command, run: Run) => Promise<void>): AddCommand<Run> {
  return (usage, does, run, options = []) => {
    const command = group
      .command(usage, { isDefault: usage === "list" })
      .description(does)
      .helpCommand(false);
    for (const one of options) command.addOption(one);
    command.action(() => perform(command, run));
  };
}

export function option(flags: string, does: string, read?: (given: string) => unknown): Option {
  const made = new Option(flags, does);
  return read === undefined ? made : made.argParser(read);
}

/** Reads what has this form. @param must a sentence for the error */
export function like(form: RegExp, must: string): (given: string) => string {
  return (given) => {
    if (form.test(given)) return given;
    throw new InvalidArgumentError(must);
  };
}

export function choiceOption(flags: string, does: string, names: readonly string[]): Option {
  return new Option(flags, does).choices(names);
}

export function parseWholeNumber(least: number, most = 999_999_999): (given: string) => number {
  return (given) => {
    const value = Number(given);
    if (/^[0-9]{1,15}$/.test(given) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };
}

/**
 * Runs the program with the arguments of this process, and sets the exit status. A user's mistake is printed as one
 * line, with `--json` as JSON on standard output; any other error is the program's mistake.
 *
 * @param statusOf the exit status for an error other than a wrong use; null: the program's mistake
 * @param jsonOf the members of the printed JSON
 */
export async function runProgram(
  program: Command,
  statusOf: (error: Error) => number | null = () => null,
  jsonOf: (message: string) => object = (message) => ({ error: message }),
): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const status = statusAfter(error) ?? statusOf(error);
    if (status === null) throw error;
    process.exitCode = status;
    // These are printed already.
    if (error instanceof CommanderError && /^commander\.(?:help|version)/u.test(error.code)) return;
    // This does not use the parsed options: the mistake may be one of them.
    if (process.argv.includes("--json")) console.log(JSON.stringify(jsonOf(mistakeText(error))));
    else console.error(mistakeText(error));
  }
}

/** Without a command, the help is an error. Null for what is not a mistake of the user. */
function statusAfter(error: Error): number | null {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  return error instanceof UsageError || error instanceof CommanderError ? WRONG_USAGE : null;
}

/** Describes the mistake without what the user gave as a value: it may be a secret. */
export function mistakeText(error: Error): string {
  if (!(error instanceof CommanderError)) return error.message;
  const text = error.message
    .replace(/^error: /u, "")
    .replaceAll("\n", " ")
    .replace(/^(unknown option '--?[^=']*)=.*'/su, "$1'")
    .replace(/^(option '.*?') argument '.*' is invalid\./su, "$1 is invalid.");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
