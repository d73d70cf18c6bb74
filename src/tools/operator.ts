/** `npm run operator -- terminals --offline` */
import type { Command } from "commander";
import { CommandError, OperatorClient, operatorTokenFor } from "../sdk/command-line/operator-client.ts";
import { operatorProgram } from "./operator/commands.ts";
import { OPERATOR_EXIT, type OperatorFlags, type RunOperator } from "./operator/options.ts";
import { runProgram } from "../sdk/command-line/program.ts";
import { Settings } from "../sdk/command-line/settings.ts";
import { dataLines } from "../sdk/command-line/table.ts";

async function perform(command: Command, run: RunOperator): Promise<void> {
  const flags = command.optsWithGlobals<OperatorFlags>();
  const settings = await Settings.read(flags.env);
  const url = settings.url(flags.url);
  const operator = new OperatorClient(url, await operatorTokenFor(settings, url));
  const { data, title, status } = await run({ operator, args: command.args, flags }, ...command.args);
  if (title !== undefined && flags.json !== true && process.stdout.isTTY) console.log(`${title}\n`);
  console.log(flags.json === true ? JSON.stringify(data) : dataLines(data));
  process.exitCode = status;
}

await runProgram(operatorProgram(perform), (error) => (error instanceof CommandError ? OPERATOR_EXIT.failed : null));
