import { flagLines, type Flag, HELP_FLAGS, readFlags, text, toldBy, URL_FLAG, type Values } from "./flags.ts";
import { UsageError } from "./invocation.ts";
import { Settings } from "./settings.ts";
import { DELIVERY_WAIT } from "../protocol/limits/webhooks.ts";
import { hasTaken, type PingAnswer } from "../protocol/webhooks.ts";
import { SECOND } from "../time/units.ts";

export interface Declared {
  /** A name of one word or two, and arguments. */
  usage: string;
  does: string;
  /** None by default. */
  arguments?: readonly [least: number, most: number];
}

function commandLines(commands: Record<string, Declared>, column: number): string {
  return Object.values(commands)
    .map(({ usage, does }) => `  ${usage.padEnd(column)}${does}`)
    .join("\n");
}

/** @param program the words that start the shell */
function usageOf(program: string, command: Declared, flags: Record<string, Flag<unknown>>): string {
  return `${program} ${command.usage} [flags]: ${command.does}\n\n${flagLines(flags, 22)}`;
}

interface Found<Command> {
  name: string;
  command: Command;
  args: string[];
}

/** Null without a word. Throws UsageError for an unknown command. */
function commandIn<Command>(
  program: string,
  commands: Record<string, Command>,
  words: readonly string[],
): Found<Command> | null {
  const [first, second] = words;
  if (first === undefined) return null;
  const name = [`${first} ${second ?? ""}`, first].find((one) => Object.hasOwn(commands, one));
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined) {
    throw new UsageError(`Unknown command ${first}. See ${program} --help.`);
  }
  return { name, command, args: words.slice(name.split(" ").length) };
}

/** Throws UsageError unless the command takes these arguments and flags. @param own the command's flags */
function checkUse(
  program: string,
  { name, command, args }: Found<Declared>,
  own: readonly string[],
  given: object,
): void {
  const foreign = Object.keys(given).find((flag) => !own.includes(flag));
  if (foreign !== undefined) throw new UsageError(`${name} has no option --${foreign}. Use ${name} --help.`);
  const [least, most] = command.arguments ?? [0, 0];
  if (args.length >= least && args.length <= most) return;
  throw new UsageError(`Usage: ${program} ${command.usage}`);
}

export const SHELL_FLAGS = {
  url: URL_FLAG,
  env: text("FILE", "reads values that the environment lacks from lines NAME=value"),
  ...HELP_FLAGS,
};

interface Shell<Flags, Command> {
  /** The words that start the shell. */
  program: string;
  commands: Record<string, Command>;
  /** Of the help, for what the commands do. */
  column: number;
  flags: Flags;
  /** The flags of one command, without `ofEvery`. */
  flagsOf: (command: Command) => Record<string, Flag<unknown>>;
  ofEvery: Record<string, Flag<unknown>>;
  /** The end of the help. */
  more: string;
}

/** Null if the command line asked for a text, which is printed. Throws UsageError. */
export async function begun<Flags extends Record<string, Flag<unknown>>, Command extends Declared>(
  args: string[],
  { program, commands, column, flags, flagsOf, ofEvery, more }: Shell<Flags, Command>,
): Promise<(Found<Command> & { flags: Values<Flags>; settings: Settings; url: string }) | null> {
  const { values, positionals } = readFlags(args, flags);
  const found = commandIn(program, commands, positionals);
  const own = { ...(found === null ? {} : flagsOf(found.command)), ...ofEvery };
  const usage = `${program} COMMAND [flags]

${commandLines(commands, column)}

COMMAND --help shows the flags of a command. Those of every command:

${flagLines(ofEvery, 22)}

${more}`;
  const common: Values<typeof SHELL_FLAGS> = values;
  const told = toldBy(common, () => (found === null ? usage : usageOf(program, found.command, own)));
  if (told !== null) {
    console.log(told);
    return null;
  }
  if (found === null) throw new UsageError(usage);
  checkUse(program, found, Object.keys(own), values);
  const settings = await Settings.read(common.env);
  return { ...found, flags: values, settings, url: settings.url(common.url) };
}

/** Why a webhook's ping counts as failed; null: the receiver has accepted it. */
export function pingProblem({ status, milliseconds }: PingAnswer): string | null {
  if (hasTaken(status)) return null;
  if (status !== null) {
    return `The webhook answered the ping with ${status}. It must answer 200 to 299; 401 means a wrong secret.`;
  }
  return milliseconds < DELIVERY_WAIT
    ? "The gateway could not connect to the webhook. Check its address and certificate, and that it runs."
    : `The webhook did not answer the ping within ${DELIVERY_WAIT / SECOND} seconds.`;
}
