/** The commands of a shell: each is declared once, with its help, its arguments and its flags. */
import { flagLines, type Flag } from "./flags.ts";
import { UsageError } from "./invocation.ts";

export interface Declared {
  /** Its name, of one word or two, and its arguments. */
  usage: string;
  does: string;
  /** How many arguments it takes, at least and at most; none by default. */
  arguments?: readonly [least: number, most: number];
}

/** The help of every command, the texts in one column. */
export function commandLines(commands: Record<string, Declared>, column: number): string {
  return Object.values(commands)
    .map(({ usage, does }) => `  ${usage.padEnd(column)}${does}`)
    .join("\n");
}

/** What `COMMAND --help` prints. @param program how it is started */
export function usageOf(program: string, command: Declared, flags: Record<string, Flag<unknown>>): string {
  return `${program} ${command.usage} [flags]: ${command.does}\n\n${flagLines(flags, 22)}`;
}

export interface Found<Command> {
  name: string;
  command: Command;
  /** The words after its name. */
  args: string[];
}

/** The command that these words name; null without a word. Throws UsageError for an unknown one. */
export function commandIn<Command>(
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

/** Throws UsageError unless the command takes these arguments and flags. @param own the flags that it has */
export function checkUse(
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
