import { type Command, InvalidArgumentError } from "commander";
import { like, newProgram } from "../../sdk/command-line/program.ts";

export interface DeployOptions {
  /** Prints the plan, and changes nothing. */
  dryRun: boolean;
  /** A separate gateway with its own name, database, secrets and configuration; null: that of wrangler.toml. */
  env: string | null;
  /** Makes a test sale even if the gateway is already in use. */
  trial: boolean;
  /** If it differs from the address that wrangler reports. */
  url: string | null;
  /** The first operator's name, for the audit log. */
  operator: string;
  /** New secrets are written to this new file, instead of the screen. */
  secretsTo: string | null;
}

/** @param run resolves to the exit status */
export function deployProgram(run: (options: DeployOptions) => Promise<number>): Command {
  const does =
    "Deploys this clone to Cloudflare, or updates a deployed gateway: creates the missing database, tables and secrets, uploads " +
    "the code, and waits until it answers. The first time, it also makes a test sale, with an account and a simulated terminal " +
    "that it removes afterwards. Existing data is kept. If a step fails, run the command again.";
  return newProgram("npm run deploy --", does, {
    examples: [
      ["--dry-run", "prints the plan, changes nothing"],
      ["--env staging", "another gateway, with its own database and secrets"],
    ],
    statuses: { 0: "done", 1: "a step failed", 5: "wrong usage" },
    more:
      "From the environment: OPERATOR_TOKEN, an operator's token, for the test sale on a gateway that has its secrets; " +
      "CLOUDFLARE_API_TOKEN, instead of npx wrangler login; CLOUDFLARE_ACCOUNT_ID, if the login has several accounts.",
  })
    .option("--dry-run", "prints the plan, changes nothing")
    .option(
      "--env <NAME>",
      "another gateway, such as staging: its configuration is wrangler.NAME.toml, which the first run makes",
      like(/^[a-z][a-z0-9-]{0,19}$/, "Use a name of small letters, digits and dashes."),
    )
    .option("--trial", "makes a test sale on an update as well; needs OPERATOR_TOKEN")
    .option("--url <URL>", "the gateway's URL, if wrangler.toml has only route patterns", originIn)
    .option(
      "--operator <NAME>",
      "the first operator's name in the audit log",
      like(/^[A-Za-z0-9._-]{1,50}$/, "Use a name of letters, digits, dots, dashes and underscores."),
      "operator",
    )
    .option("--secrets-to <FILE>", "writes new secrets to this new file, not to the screen")
    .action(async (flags: Partial<DeployOptions> & { operator: string }) => {
      const nothing = { dryRun: false, env: null, trial: false, url: null, secretsTo: null };
      process.exitCode = await run({ ...nothing, ...flags });
    });
}

function originIn(given: string): string {
  if (URL.canParse(given)) return new URL(given).origin;
  throw new InvalidArgumentError("Use a URL with https://.");
}
