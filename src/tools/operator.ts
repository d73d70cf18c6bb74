/** `npm run operator -- terminals --offline` */
import type { Command } from "commander";
import { CommandError, Operator, operatorTokenFor } from "../sdk/command-line/operator-client.ts";
import { operatorProgram } from "./operator/commands.ts";
import { EXIT, type Flags, type Run } from "./operator/options.ts";
import { runProgram } from "../sdk/command-line/program.ts";
import { Settings } from "../sdk/command-line/settings.ts";
import { dataLines } from "../sdk/command-line/table.ts";

async function perform(command: Command, run: Run): Promise<void> {
  const flags = command.optsWithGlobals<Flags>();
  const settings = await Settings.read(flags.env);
  const url = settings.url(flags.url);
  const operator = new Operator(url, await operatorTokenFor(settings, url));
  const { data, status } = await run({ operator, args: command.args, flags }, ...command.args);
  console.log(flags.json === true ? JSON.stringify(data) : dataLines(data));
  process.exitCode = status;
}

await runProgram(operatorProgram(perform), (error) => (error instanceof CommandError ? EXIT.failed : null));
