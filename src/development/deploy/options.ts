import { parseArgs } from "node:util";
import { type Result, err, ok } from "../../result.ts";

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

Deploys this clone to Cloudflare, or updates what is deployed: makes the database, its tables and the secrets that are
missing, uploads the code, waits until it answers. The first time it also tries a sale, with an account and a simulated
terminal that it removes again. What is there is kept. If a step fails, run it again.

  --dry-run          say what would be done, and change nothing
  --trial            try a sale on an update, too; needs OPERATOR_TOKEN
  --url URL          where the gateway answers, for routes that wrangler does not name
  --operator NAME    of the first operator, for the audit log; "operator" unless given
  --secrets-to FILE  write new secrets to this new file, not to the screen
  --help             this text

From the environment:
  OPERATOR_TOKEN         an operator's token, for the sale on a gateway that has its secrets
  CLOUDFLARE_API_TOKEN   instead of a login with: npx wrangler login
  CLOUDFLARE_ACCOUNT_ID  where the login has several accounts`;

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
      return err("--operator takes a name of letters, digits, dots, dashes and underscores.");
    }
    if (values.url !== undefined && !URL.canParse(values.url)) return err("--url takes an address with https://.");
    const url = values.url === undefined ? null : new URL(values.url).origin;
    return ok({ dryRun, trial, url, operator, secretsTo });
  } catch (error) {
    return err(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}
