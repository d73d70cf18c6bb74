/** Every step can be repeated, and none is undone if a later one fails. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { like, newProgram } from "../../sdk/command-line/program.ts";
import { CommandError } from "../../sdk/command-line/operator-client.ts";
import type { Result } from "../../protocol/result.ts";
import { linesOf, makeSecrets, tokenIn, writeSecrets } from "../development/secrets.ts";
import type { Trial } from "../simulate/simulation.ts";
import { addressIn, failureText, type Names, type Wrangler } from "../development/wrangler.ts";
import { type Deployed, look, type Plan, plan, type DeployStep } from "./plan.ts";

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
  /** A new file for new secrets, instead of the screen. */
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

/** The deploy's connections to the outside. */
export interface World {
  wrangler: Wrangler;
  say: (text: string) => void;
  /** Only a person sees the output. */
  isTerminal: boolean;
  environment: Record<string, string | undefined>;
  /** Resolves to null once the gateway answers, otherwise to a sentence. */
  health: (baseUrl: string) => Promise<string | null>;
  trial: (baseUrl: string, operatorToken: string) => Promise<Result<Trial, string>>;
}

const NOTHING: Deployed = { account: null, secrets: null, database: false, accounts: 0 };

/** Throws a CommandError about what failed; the same command then continues. */
export async function runDeploy(options: DeployOptions, names: Names, world: World): Promise<void> {
  const { environment, say, isTerminal, wrangler } = world;
  const found = await look(wrangler, names, environment["CLOUDFLARE_ACCOUNT_ID"] || undefined).catch((error) => {
    if (!options.dryRun || !(error instanceof CommandError)) throw error;
    say(`What exists could not be looked up, so this is the plan of a first deploy. ${error.message}\n`);
    return NOTHING;
  });
  const planned = plan(found, {
    required: names.secrets,
    canShowSecrets: isTerminal || options.secretsTo !== null || options.dryRun,
    isPlatformBuild: Boolean(environment["WORKERS_CI"]),
    hasToken: Boolean(environment["OPERATOR_TOKEN"]),
    trial: options.trial,
  });
  say(planText(found, names, planned));
  if (options.dryRun) return;
  const course = new Course(options, world, planned.missing);
  for (const [index, { kind, words }] of planned.steps.entries()) {
    say(`${index + 1}/${planned.steps.length} ${words}`);
    await course[kind]().catch((error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      throw new CommandError(`${error.message}\n\nCompleted steps are kept. Run the same command again to continue.`);
    });
  }
  const next = `Create the first account and terminal: ${course.baseUrl}/docs/deploy#the-first-account-and-terminal`;
  say(`\nThe gateway answers at ${course.baseUrl}\nThe documentation is at ${course.baseUrl}/docs`);
  if (!planned.isUpdate) say(next);
}

/** The steps. Each may add to what is known, and throws CommandError. */
class Course implements Record<DeployStep["kind"], () => Promise<void>> {
  baseUrl: string | null;
  #operatorToken: string | null;
  readonly #options: DeployOptions;
  readonly #world: World;
  readonly #missing: string[];

  constructor(options: DeployOptions, world: World, missing: string[]) {
    this.#options = options;
    this.#world = world;
    this.#missing = missing;
    this.baseUrl = options.url;
    this.#operatorToken = world.environment["OPERATOR_TOKEN"] || null;
  }

  /**
   * Shows the secrets before it sets them: a user who is interrupted in between has some unused lines. In the other
   * order, the gateway would have secrets that nobody knows.
   */
  async secrets(): Promise<void> {
    const { operator, secretsTo } = this.#options;
    let secrets = valueOf(makeSecrets(this.#missing, { kid: "k1", operator }));
    if (secretsTo === null) {
      this.#world.say(`Store these lines. They are shown once and cannot be read back:\n\n${linesOf(secrets)}`);
    } else {
      secrets = valueOf(await writeSecrets(secretsTo, secrets));
      this.#world.say(`They are in ${secretsTo}. Store them: they cannot be read back from the gateway.`);
    }
    const problem =
      "The secrets could not be set. If the next run shows new ones, those are the ones to keep; if not, these were set after all";
    await this.#run(problem, ["secret", "bulk"], { input: JSON.stringify(secrets) });
    this.#operatorToken = tokenIn(secrets) ?? this.#operatorToken;
  }

  migrate(): Promise<void> {
    return this.#run("The database could not be migrated", ["d1", "migrations", "apply", "DATABASE", "--remote"]);
  }

  async upload(): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "deploy-"));
    try {
      const output = join(folder, "output.ndjson");
      await this.#run("The code could not be uploaded", ["deploy"], { env: { WRANGLER_OUTPUT_FILE_PATH: output } });
      this.baseUrl ??= addressIn(await readFile(output, "utf8"));
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async health(): Promise<void> {
    if (this.baseUrl === null) {
      throw new CommandError("The code is uploaded, but wrangler names no address. Name the gateway's URL: --url URL");
    }
    const problem = await this.#world.health(this.baseUrl);
    if (problem !== null) throw new CommandError(problem);
  }

  async trial(): Promise<void> {
    const trial = await this.#world.trial(this.baseUrl ?? "", this.#operatorToken ?? "");
    if (!trial.ok) throw new CommandError(`The gateway answers, but the sale failed. ${trial.error}`);
    this.#world.say(`   Approved, transaction ${trial.value.transId}, in ${trial.value.took} ms.`);
  }

  async #run(problem: string, ...command: Parameters<Wrangler>): Promise<void> {
    const ran = await this.#world.wrangler(...command);
    if (ran.status !== 0) throw new CommandError(failureText(problem, ran));
  }
}

/** Throws CommandError. */
export function valueOf<Value>(result: Result<Value, string>): Value {
  if (result.ok) return result.value;
  throw new CommandError(result.error);
}

function planText(found: Deployed, names: Names, { steps, isUpdate, noTrial }: Plan): string {
  const { account, secrets, database, accounts } = found;
  return [
    `Cloudflare account  ${account ?? "not known"}`,
    `Worker              ${names.worker}, ${secrets === null ? "not there yet" : `with ${secrets.length} secrets`}`,
    `Database            ${names.database}, ${database ? `knows ${accounts} accounts` : "not there yet"}`,
    "",
    isUpdate ? "An update. Existing data is kept." : "A first deploy.",
    ...steps.map(({ words }, index) => `  ${index + 1}. ${words}`),
    ...(noTrial === null ? [] : [noTrial]),
    "",
  ].join("\n");
}

/** Milliseconds. The name and certificate of a new address take some time to be known everywhere. */
const WITHIN = 180_000;
const BETWEEN = 2_000;

/** Null once the gateway can serve, or a sentence if it cannot in time. */
export async function waitForHealth(baseUrl: string, within = WITHIN, between = BETWEEN): Promise<string | null> {
  const until = performance.now() + within;
  for (;;) {
    const last = await healthProblem(baseUrl);
    if (last === null) return null;
    if (performance.now() >= until) return `${baseUrl}/healthz does not return 200: ${last}`;
    await delay(between);
  }
}

/** Null if the gateway can serve; otherwise what it answered. */
async function healthProblem(baseUrl: string): Promise<string | null> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(10_000) });
    // Any Worker may answer 200, even the empty one that wrangler creates to hold secrets.
    if (response.status === 200 && (await response.text()).includes('"ok"')) return null;
    return `it answered ${response.status}.`;
  } catch (error) {
    // Node says only "fetch failed"; the reason is in the cause.
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `${why instanceof Error ? why.message : String(why)}.`;
  }
}
