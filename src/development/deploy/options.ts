import { parseArgs } from "node:util";
import { argumentMistake } from "../../command-line/invocation.ts";
import { type Result, err, ok } from "../../outcomes/result.ts";

export interface DeployOptions {
  /** Prints what would be done, and changes nothing. */
  dryRun: boolean;
  /** Makes a test sale even if the gateway is already in use. */
  trial: boolean;
  /** The gateway's address, if it differs from the one that wrangler reports. */
  url: string | null;
  /** The first operator's name, for the audit log. */
  operator: string;
  /** A new file for new secrets, instead of the screen. */
  secretsTo: string | null;
}

export const USAGE = `npm run deploy -- [flags]

Deploys this clone to Cloudflare, or updates a deployed gateway: creates the missing database, tables and secrets, uploads
the code, and waits until it answers. The first time, it also makes a test sale, with an account and a simulated terminal
that it removes afterwards. Existing data is kept. If a step fails, run the command again.

  --dry-run          prints the plan, changes nothing
  --trial            makes a test sale on an update as well; needs OPERATOR_TOKEN
  --url URL          the gateway's URL, if wrangler.toml has only route patterns
  --operator NAME    the first operator's name in the audit log (default: operator)
  --secrets-to FILE  writes new secrets to this new file, not to the screen
  --help             prints this text

From the environment:
  OPERATOR_TOKEN         an operator's token, for the test sale on a gateway that has its secrets
  CLOUDFLARE_API_TOKEN   instead of npx wrangler login
  CLOUDFLARE_ACCOUNT_ID  if the login has several accounts`;

/** Reads the command line; the error is a sentence. */
export function readOptions(args: string[]): Result<DeployOptions | "help", string> {
  try {
    const { values } = parseArgs({
      args,
      options: {
        "dry-run": { type: "boolean" },
        trial: { type: "boolean" },
        url: { type: "string" },
        operator: { type: "string" },
        "secrets-to": { type: "string" },
        help: { type: "boolean" },
      },
    });
    if (values.help === true) return ok("help");
    const { trial = false, operator = "operator", "dry-run": dryRun = false, "secrets-to": secretsTo = null } = values;
    if (!/^[A-Za-z0-9._-]{1,50}$/.test(operator)) {
      return err("--operator must be a name of letters, digits, dots, dashes and underscores.");
    }
    if (values.url !== undefined && !URL.canParse(values.url)) return err("--url must be a URL with https://.");
    const url = values.url === undefined ? null : new URL(values.url).origin;
    return ok({ dryRun, trial, url, operator, secretsTo });
  } catch (error) {
    return err(`${argumentMistake(error)}\n\n${USAGE}`);
  }
}
