/** `npm run deploy`: from a clone to a gateway at Cloudflare. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../../command-line/invocation.ts";
import { USAGE, readOptions } from "./options.ts";
import { runDeploy } from "./run.ts";
import { makeTestSale, waitForHealth } from "./trial.ts";
import { namesOf, wranglerIn } from "../wrangler.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Resolves to the exit status. */
async function main(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (options === "help") {
    console.log(USAGE);
    return 0;
  }
  const names = namesOf(await readFile(join(root, "wrangler.toml"), "utf8"));
  if (!names.ok) return stopWith(names.error);
  const { secretsTo, ...rest } = options;
  const caller = process.env["INIT_CWD"] || ".";
  const done = await runDeploy({ ...rest, secretsTo: secretsTo && resolve(caller, secretsTo) }, names.value, {
    wrangler: wranglerIn(root),
    say: (text) => console.log(text),
    isTerminal: process.stdout.isTTY,
    environment: process.env,
    health: waitForHealth,
    trial: makeTestSale,
  });
  return done.ok ? 0 : stopWith(done.error);
}

function stopWith(sentence: string): number {
  console.error(sentence);
  return 1;
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.exit(stopWith(`${error.message}\n\n${USAGE}`));
}
