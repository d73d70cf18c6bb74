import { flagLines, HELP_FLAGS, readFlags, text, textLike, toggle, type Flag } from "../../command-line/flags.ts";
import { UsageError } from "../../command-line/invocation.ts";

export interface DeployOptions {
  /** Prints what would be done, and changes nothing. */
  dryRun: boolean;
  /** Which gateway: with its own name, database, secrets and configuration; null: that of wrangler.toml. */
  env: string | null;
  /** Makes a test sale even if the gateway is already in use. */
  trial: boolean;
  /** The gateway's address, if it differs from the one that wrangler reports. */
  url: string | null;
  /** The first operator's name, for the audit log. */
  operator: string;
  /** A new file for new secrets, instead of the screen. */
  secretsTo: string | null;
}

const URL_FLAG: Flag<string> = {
  value: "URL",
  does: "the gateway's URL, if wrangler.toml has only route patterns",
  read: (given) => (URL.canParse(given) ? new URL(given).origin : null),
  must: "a URL with https://",
};

const FLAGS = {
  "dry-run": toggle("prints the plan, changes nothing"),
  env: textLike(
    /^[a-z][a-z0-9-]{0,19}$/,
    "a name of small letters, digits and dashes",
    "NAME",
    "another gateway, such as staging: its configuration is wrangler.NAME.toml, which the first run makes",
  ),
  trial: toggle("makes a test sale on an update as well; needs OPERATOR_TOKEN"),
  url: URL_FLAG,
  operator: textLike(
    /^[A-Za-z0-9._-]{1,50}$/,
    "a name of letters, digits, dots, dashes and underscores",
    "NAME",
    "the first operator's name in the audit log (default: operator)",
  ),
  "secrets-to": text("FILE", "writes new secrets to this new file, not to the screen"),
  help: HELP_FLAGS.help,
};

export const USAGE = `npm run deploy -- [flags]

Deploys this clone to Cloudflare, or updates a deployed gateway: creates the missing database, tables and secrets, uploads
the code, and waits until it answers. The first time, it also makes a test sale, with an account and a simulated terminal
that it removes afterwards. Existing data is kept. If a step fails, run the command again.

${flagLines(FLAGS, 19)}

From the environment:
  OPERATOR_TOKEN         an operator's token, for the test sale on a gateway that has its secrets
  CLOUDFLARE_API_TOKEN   instead of npx wrangler login
  CLOUDFLARE_ACCOUNT_ID  if the login has several accounts`;

/** Reads the command line. Throws a UsageError. */
export function readOptions(args: string[]): DeployOptions | "help" {
  const { values, positionals } = readFlags(args, FLAGS);
  if (values.help === true) return "help";
  if (positionals.length > 0) throw new UsageError("There is an argument too many. Use --help.");
  const { env = null, trial = false, url = null, operator = "operator" } = values;
  return { dryRun: values["dry-run"] ?? false, env, trial, url, operator, secretsTo: values["secrets-to"] ?? null };
}
