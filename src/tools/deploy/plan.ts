/** What a deploy finds, and what it will do. Nothing here changes anything. */
import { CommandError } from "../../sdk/command-line/operator-client.ts";
import { TRIAL_PREFIX } from "../simulate/simulation.ts";
import { failureText, type Names, type Wrangler } from "../development/wrangler.ts";

export interface Deployed {
  /** The Cloudflare account's name, for the plan. */
  account: string;
  /** The names of the secrets that are set; null: there is no Worker yet. */
  secrets: string[] | null;
  database: boolean;
  /** Accounts in the database, including deleted ones, without those of test sales; 0 if it has no tables yet. */
  accounts: number;
}

/** Throws a CommandError that says what prevents the deploy, and what to do. */
export async function look(wrangler: Wrangler, names: Names, accountId: string | undefined): Promise<Deployed> {
  /** Null if the command fails with the words `ifNothing`: only the text tells its failures apart. */
  const read = async <Content>(args: string[], problem: string, ifNothing?: string): Promise<Content | null> => {
    const ran = await wrangler(args);
    if (ran.status === 0) return JSON.parse(ran.stdout) as Content;
    if (ifNothing !== undefined && ran.output.includes(ifNothing)) return null;
    throw new CommandError(failureText(problem, ran));
  };
  const login = "wrangler is not logged in: run npx wrangler login, or set CLOUDFLARE_API_TOKEN";
  const who = await read<{ accounts?: { id: string; name: string }[] }>(["whoami", "--json"], login);
  const id = names.account ?? accountId;
  const account = (who?.accounts ?? []).filter((one) => id === undefined || one.id === id).map(({ name }) => name);
  // With several accounts and no id, wrangler lists them here, and says how to choose one.
  const list = ["secret", "list", "--format", "json"];
  const noWorker = `Worker "${names.worker}" not found`;
  const secrets = await read<{ name: string }[]>(list, "The secrets could not be listed", noWorker);
  const databases = await read<{ name?: string }[]>(["d1", "list", "--json"], "The databases could not be listed");
  const database = databases?.some(({ name }) => name === names.database) === true;
  const query = `SELECT COUNT(*) AS accounts FROM accounts WHERE pos_id NOT GLOB '${TRIAL_PREFIX}*'`;
  const count = ["d1", "execute", "DATABASE", "--remote", "--json", "--command", query];
  type Counted = { results: { accounts: number }[] }[];
  const counted = database ? await read<Counted>(count, "The database could not be read", "no such table") : null;
  return {
    account: account.join(" or ") || "not known",
    secrets: secrets?.map(({ name }) => name) ?? null,
    database,
    accounts: counted?.[0]?.results[0]?.accounts ?? 0,
  };
}

/** The plan and the progress show `words`. */
export interface DeployStep {
  kind: "secrets" | "migrate" | "upload" | "health" | "trial";
  words: string;
}

export interface Circumstances {
  /** The secrets that wrangler.toml requires. */
  required: readonly string[];
  /** True if new secrets can be shown to a person, or written to a file. */
  canShowSecrets: boolean;
  /** The platform builds and deploys, after a person has entered the secrets in a form. */
  isPlatformBuild: boolean;
  /** True if an operator's token is known already, besides one created now. */
  hasToken: boolean;
  /** A test sale is requested, even if the gateway is already in use. */
  trial: boolean;
}

export interface Plan {
  steps: DeployStep[];
  /** The secrets to create. */
  missing: string[];
  /** Why there is no test sale; null if there is one. */
  noTrial: string | null;
}

/**
 * Returns the steps in order. Nothing that exists is created again. Tables come before the code that needs them, except
 * in the first deploy, which creates the database; nobody calls the gateway then. Throws a CommandError about what a
 * person must do first.
 */
export function plan(found: Deployed, circumstances: Circumstances): Plan {
  const { required, canShowSecrets, isPlatformBuild, hasToken, trial } = circumstances;
  const missing = isPlatformBuild ? [] : required.filter((name) => found.secrets?.includes(name) !== true);
  if (missing.includes("MASTER_KEYS") && found.accounts > 0) {
    throw new CommandError(
      `The gateway has no MASTER_KEYS, but its database has ${found.accounts} accounts. Only the previous MASTER_KEYS can ` +
        "decrypt their keys. Set them: npx wrangler secret put MASTER_KEYS. Or delete the database with all its accounts.",
    );
  }
  if (missing.length > 0 && !canShowSecrets) {
    throw new CommandError(
      `${missing.join(" and ")} must be created, but this output is not a terminal and may be stored as a log. Name a new ` +
        "file for them: npm run deploy -- --secrets-to FILE. Or set them first: npx wrangler secret put NAME.",
    );
  }
  const noTrial = whyNoTrial(found.accounts > 0 && !trial, hasToken || missing.includes("OPERATOR_TOKENS"));
  if (trial && noTrial !== null) throw new CommandError(noTrial);
  const migrate: DeployStep = { kind: "migrate", words: "Migrate the database." };
  const trialWords = "Make a test sale, with an account and a simulated terminal that are removed afterwards.";
  const steps: (DeployStep | false)[] = [
    missing.length > 0 && { kind: "secrets", words: `Create and set ${missing.join(" and ")}.` },
    found.database && migrate,
    { kind: "upload", words: `${found.database ? "Upload" : "Create the database and upload"} the code.` },
    !found.database && migrate,
    { kind: "health", words: "Wait until the gateway answers." },
    noTrial === null && { kind: "trial", words: trialWords },
  ];
  return { steps: steps.filter((step) => step !== false), missing, noTrial };
}

function whyNoTrial(isInUse: boolean, hasToken: boolean): string | null {
  if (isInUse) return "No test sale: the gateway is in use. Add --trial to make one.";
  return hasToken ? null : "No test sale: set OPERATOR_TOKEN to an operator's token and add --trial.";
}
