/** Every step can be repeated, and none is undone if a later one fails. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { like, newProgram } from "../../command-line/program.ts";
import { CommandError } from "../../command-line/operator/client.ts";
import { type Result, err, ok } from "../../outcomes/result.ts";
import { linesOf, makeSecrets, tokenIn, writeSecrets } from "../secrets.ts";
import { addressIn, failed, type Names, type Wrangler } from "../wrangler.ts";
import { type Found, look, type Plan, plan, type Step } from "./plan.ts";
import type { Trial } from "./trial.ts";

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

const NOTHING: Found = { account: null, secrets: null, database: false, accounts: 0 };

/** The error is a sentence about what failed; the same command then continues. */
export async function runDeploy(options: DeployOptions, names: Names, world: World): Promise<Result<void, string>> {
  const { environment, say, isTerminal } = world;
  const token = environment["OPERATOR_TOKEN"] || null;
  const looked = await resultOf(look(world.wrangler, names, environment["CLOUDFLARE_ACCOUNT_ID"] || undefined));
  if (!looked.ok && !options.dryRun) return looked;
  if (!looked.ok) say(`What exists could not be looked up, so this is the plan of a first deploy. ${looked.error}\n`);
  const found = looked.ok ? looked.value : NOTHING;
  const planned = plan(found, {
    required: names.secrets,
    canShowSecrets: isTerminal || options.secretsTo !== null || options.dryRun,
    isPlatformBuild: Boolean(environment["WORKERS_CI"]),
    hasToken: token !== null,
    trial: options.trial,
  });
  if (!planned.ok) return planned;
  const { steps, isUpdate } = planned.value;
  say(planText(found, names, planned.value));
  if (options.dryRun) return ok(undefined);
  const course: Course = { options, world, baseUrl: options.url, operatorToken: token };
  for (const [index, step] of steps.entries()) {
    say(`${index + 1}/${steps.length} ${step.words}`);
    const done = await resultOf(take(step, course));
    if (!done.ok) return err(`${done.error}\n\nCompleted steps are kept. Run the same command again to continue.`);
  }
  say(reportText(course.baseUrl ?? "", isUpdate));
  return ok(undefined);
}

async function resultOf<Value>(work: Promise<Value>): Promise<Result<Value, string>> {
  try {
    return ok(await work);
  } catch (error) {
    if (error instanceof CommandError) return err(error.message);
    throw error;
  }
}

/** Each step may add to what is known. */
interface Course {
  options: DeployOptions;
  world: World;
  baseUrl: string | null;
  operatorToken: string | null;
}

/** Throws CommandError. */
async function take(step: Step, course: Course): Promise<unknown> {
  switch (step.kind) {
    case "secrets":
      return setSecrets(step.names, course);
    case "migrate":
      return mustRun(course, "The database could not be migrated", [
        "d1",
        "migrations",
        "apply",
        "DATABASE",
        "--remote",
      ]);
    case "deploy":
      return upload(course);
    case "health":
      return answers(course);
    case "trial":
      return sells(course);
  }
}

async function mustRun({ world }: Course, problem: string, ...command: Parameters<Wrangler>): Promise<void> {
  const ran = await world.wrangler(...command);
  if (ran.status !== 0) throw new CommandError(failed(problem, ran));
}

function valueOf<Value>(result: Result<Value, string>): Value {
  if (result.ok) return result.value;
  throw new CommandError(result.error);
}

/**
 * Shows the secrets before it sets them: a user who is interrupted in between has some unused lines. In the other
 * order, the gateway would have secrets that nobody knows.
 */
async function setSecrets(names: string[], course: Course): Promise<void> {
  const { operator, secretsTo } = course.options;
  const { say } = course.world;
  let secrets = valueOf(makeSecrets(names, { kid: "k1", operator }));
  if (secretsTo === null) {
    say(`Store these lines. They are shown once and cannot be read back:\n\n${linesOf(secrets)}`);
  } else {
    secrets = valueOf(await writeSecrets(secretsTo, secrets));
    say(`They are in ${secretsTo}. Store them: they cannot be read back from the gateway.`);
  }
  const problem =
    "The secrets could not be set. If the next run shows new ones, those are the ones to keep; if not, these were set after all";
  await mustRun(course, problem, ["secret", "bulk"], { input: JSON.stringify(secrets) });
  course.operatorToken = tokenIn(secrets) ?? course.operatorToken;
}

async function upload(course: Course): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "deploy-"));
  try {
    const output = join(folder, "output.ndjson");
    await mustRun(course, "The code could not be uploaded", ["deploy"], { env: { WRANGLER_OUTPUT_FILE_PATH: output } });
    course.baseUrl = course.options.url ?? addressIn(await readFile(output, "utf8"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function answers({ world, baseUrl }: Course): Promise<void> {
  if (baseUrl === null) {
    throw new CommandError("The code is uploaded, but wrangler names no address. Name the gateway's URL: --url URL");
  }
  const problem = await world.health(baseUrl);
  if (problem !== null) throw new CommandError(problem);
}

async function sells({ world, baseUrl, operatorToken }: Course): Promise<void> {
  if (baseUrl === null || operatorToken === null) throw new CommandError("There is no operator's token.");
  const trial = await world.trial(baseUrl, operatorToken);
  if (!trial.ok) throw new CommandError(`The gateway answers, but the sale failed. ${trial.error}`);
  world.say(`   Approved, transaction ${trial.value.transId}, in ${trial.value.took} ms.`);
}

function planText(found: Found, names: Names, { steps, isUpdate, noTrial }: Plan): string {
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

function reportText(baseUrl: string, isUpdate: boolean): string {
  const next = `Create the first account and terminal: ${baseUrl}/docs/operating#the-first-account-and-terminal`;
  const lines = ["", `The gateway answers at ${baseUrl}`, `The documentation is at ${baseUrl}/docs`];
  return [...lines, ...(isUpdate ? [] : [next])].join("\n");
}
