/** `npm run deploy`: from a clone to a gateway at Cloudflare. */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../../sdk/command-line/operator-client.ts";
import { runProgram } from "../../sdk/command-line/program.ts";
import { fromCaller } from "../../sdk/command-line/settings.ts";
import { readOrigins } from "../../gateway/http/middleware/cors-origins.ts";
import { trySale } from "../simulate/simulation.ts";
import { configurationFor, parseNames, variableIn, wranglerIn } from "../development/wrangler.ts";
import { type DeployOptions, deployProgram } from "./options.ts";
import { runDeploy, unwrapResult, waitForHealth } from "./run.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Resolves to the exit status. Throws CommandError. */
async function deploy(options: DeployOptions): Promise<number> {
  const { path, text } = await configuration(options);
  const names = unwrapResult(parseNames(text));
  const [originProblem] = readOrigins(variableIn(text, "CORS_ORIGINS")).problems;
  if (originProblem !== undefined) throw new CommandError(`${path}: ${originProblem}`);
  const wrangler = wranglerIn(root);
  const { secretsTo, ...rest } = options;
  await runDeploy({ ...rest, secretsTo: secretsTo && fromCaller(secretsTo) }, names, {
    wrangler: (given, more) => wrangler([...given, "--config", path], more),
    say: (sentence) => console.log(sentence),
    isTerminal: process.stdout.isTTY,
    environment: process.env,
    health: waitForHealth,
    trial: trySale,
  });
  return 0;
}

/** Makes that of another gateway if it is missing, from wrangler.toml; a dry run makes it in the local data's folder. */
async function configuration({ env, dryRun }: DeployOptions): Promise<{ path: string; text: string }> {
  const file = env === null ? "wrangler.toml" : `wrangler.${env}.toml`;
  if (existsSync(join(root, file))) return { path: file, text: await readFile(join(root, file), "utf8") };
  const text = unwrapResult(configurationFor(env ?? "", await readFile(join(root, "wrangler.toml"), "utf8")));
  const path = dryRun ? join(".wrangler", file) : file;
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
  if (!dryRun) console.log(`Wrote ${file}. It is yours: set what differs there, and keep it.`);
  return { path, text };
}

await runProgram(deployProgram(deploy), (error) => (error instanceof CommandError ? 1 : null));
process.exit();
