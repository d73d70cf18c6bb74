import type { Command } from "commander";

/** What a program reads from its arguments. Rejects with what is wrong with them. */
export async function optionsOf<Options>(
  program: (run: (options: Options) => Promise<number>) => Command,
  args: readonly string[],
): Promise<Options> {
  let read: Options | null = null;
  const before = process.exitCode;
  await program(async (options) => {
    read = options;
    return 0;
  }).parseAsync(args, { from: "user" });
  process.exitCode = before;
  if (read === null) throw new Error("nothing ran");
  return read;
}
