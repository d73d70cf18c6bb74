/** `npm run deploy`: from a clone to a gateway at Cloudflare. */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../command-line/program.ts";
import { type Result, ok } from "../../outcomes/result.ts";
import { readOrigins } from "../../http/cors-origins.ts";
import { configurationFor, namesOf, variableIn, wranglerIn } from "../wrangler.ts";
import { type DeployOptions, deployProgram, runDeploy } from "./run.ts";
import { makeTestSale, waitForHealth } from "./trial.ts";
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Resolves to the exit status. */
async function main(options: DeployOptions): Promise<number> {
  const configuration = await configurationOf(options.env);
  if (!configuration.ok) return stopWith(configuration.error);
  const { file, text } = configuration.value;
  const path = await stored(file, text, options.dryRun);
  const names = namesOf(text);
  if (!names.ok) return stopWith(names.error);
  const [originProblem] = readOrigins(variableIn(text, "CORS_ORIGINS")).problems;
  if (originProblem !== undefined) return stopWith(`${file}: ${originProblem}`);
  const wrangler = wranglerIn(root);
  const { secretsTo, ...rest } = options;
  const caller = process.env["INIT_CWD"] || ".";
  const done = await runDeploy({ ...rest, secretsTo: secretsTo && resolve(caller, secretsTo) }, names.value, {
    wrangler: (given, more) => wrangler([...given, "--config", path], more),
    say: (sentence) => console.log(sentence),
    isTerminal: process.stdout.isTTY,
    environment: process.env,
    health: waitForHealth,
    trial: makeTestSale,
  });
  return done.ok ? 0 : stopWith(done.error);
}

/** `text`: the file's, or the one to create it with, from wrangler.toml. */
async function configurationOf(env: string | null): Promise<Result<{ file: string; text: string }, string>> {
  const file = env === null ? "wrangler.toml" : `wrangler.${env}.toml`;
  if (existsSync(join(root, file))) return ok({ file, text: await readFile(join(root, file), "utf8") });
  const made = configurationFor(env ?? "", await readFile(join(root, "wrangler.toml"), "utf8"));
  return made.ok ? ok({ file, text: made.value }) : made;
}

/** Creates the file if it is missing; a dry run creates it in the local data's folder. Resolves to its path. */
async function stored(file: string, text: string, dryRun: boolean): Promise<string> {
  if (existsSync(join(root, file))) return file;
  const path = dryRun ? join(".wrangler", file) : file;
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
  if (!dryRun) console.log(`Wrote ${file}. It is yours: set what differs there, and keep it.`);
  return path;
}

function stopWith(sentence: string): number {
  console.error(sentence);
  return 1;
}

await runProgram(deployProgram(main));
process.exit();
