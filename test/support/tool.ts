/** The command lines of the project's own tools. */
import { type Flag, flagLines, number, readFlags, toggle } from "../../src/command-line/flags.ts";
import { UsageError } from "../../src/command-line/invocation.ts";

export function whole(does: string): Flag<number> {
  return number(/^[1-9]\d{0,5}$/u, "a number from 1 to 999999", "NUMBER", does);
}

/**
 * The values of a tool's flags. Prints the help and ends the process if that is wanted. Throws a UsageError that names what is
 * wrong.
 *
 * @param about the help without the flags
 * @param words how many words may stand beside the flags
 */
export function readTool<Flags extends Record<string, Flag<unknown>>>(
  args: string[],
  about: string,
  flags: Flags,
  words = 0,
) {
  const help = { help: toggle("prints this text") };
  const { values, positionals } = readFlags<Flags>(args, { ...flags, ...help });
  if (positionals.length > words) throw new UsageError("There is an argument too many. Use --help.");
  if ("help" in values) {
    console.log(`${about}\n\n${flagLines({ ...flags, ...help }, 24)}`);
    process.exit(0);
  }
  return { values, positionals };
}

/** What the command line of this process says. A mistake is one line, and ends the process with status 2. */
export function given<Options>(read: (args: string[]) => Options): Options {
  try {
    return read(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}
