/** A deploy from what it finds to its report. Every step can be repeated, and none is undone if a later one fails. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Result, err, ok } from "../../outcomes/result.ts";
import { type Found, look } from "./found.ts";
import type { DeployOptions } from "./options.ts";
import { type Plan, type Step, describeStep, plan } from "./plan.ts";
import { linesOf, makeSecrets, tokenIn, writeSecrets } from "../secrets.ts";
import type { Trial } from "./trial.ts";
import { addressIn, failed, type Names, type Wrangler } from "../wrangler.ts";

/** The deploy's connections to the outside. */
export interface World {
  wrangler: Wrangler;
  /** Prints a message for the user. */
  say: (text: string) => void;
  /** Whether only a person sees the output. */
  isTerminal: boolean;
  environment: Record<string, string | undefined>;
  /** Resolves to null once the gateway answers there, otherwise to a sentence. */
  health: (baseUrl: string) => Promise<string | null>;
  trial: (baseUrl: string, operatorToken: string) => Promise<Result<Trial, string>>;
}

/** What is known so far. Each step may add to it. */
interface Progress {
  baseUrl: string | null;
  operatorToken: string | null;
}

const NOTHING: Found = { account: null, secrets: null, database: false, accounts: 0 };

/** Runs a deploy. The error is a sentence about what failed; the same command then continues. */
export async function runDeploy(options: DeployOptions, names: Names, world: World): Promise<Result<void, string>> {
  const { environment, say, isTerminal } = world;
  const token = environment["OPERATOR_TOKEN"] || null;
  const looked = await look(world.wrangler, names, environment["CLOUDFLARE_ACCOUNT_ID"] || undefined);
  if (!looked.ok && !options.dryRun) return looked;
  if (!looked.ok) say(`What exists could not be looked up, so this is the plan of a first deploy. ${looked.error}\n`);
  const found = looked.ok ? looked : ok(NOTHING);
  const planned = plan(found.value, {
    required: names.secrets,
    canShowSecrets: isTerminal || options.secretsTo !== null || options.dryRun,
    isPlatformBuild: Boolean(environment["WORKERS_CI"]),
    hasToken: token !== null,
    trial: options.trial,
  });
  if (!planned.ok) return planned;
  say(planText(found.value, names, planned.value));
  if (options.dryRun) return ok(undefined);
  const progress: Progress = { baseUrl: options.url, operatorToken: token };
  for (const [index, step] of planned.value.steps.entries()) {
    say(`${index + 1}/${planned.value.steps.length} ${describeStep(step)}`);
    const done = await take(step, { options, world, progress });
    if (!done.ok) return err(`${done.error}\n\nCompleted steps are kept. Run the same command again to continue.`);
  }
  say(reportText(progress, planned.value));
  return ok(undefined);
}

interface Course {
  options: DeployOptions;
  world: World;
  progress: Progress;
}

async function take(step: Step, course: Course): Promise<Result<void, string>> {
  switch (step.kind) {
    case "secrets":
      return setSecrets(step.names, course);
    case "migrate":
      return command(
        course,
        ["d1", "migrations", "apply", "DATABASE", "--remote"],
        "The database could not be migrated",
      );
    case "deploy":
      return upload(course);
    case "health":
      return answers(course);
    case "trial":
      return sells(course);
    default:
      return step satisfies never;
  }
}

/**
 * Secrets are shown before they are set: a user who is interrupted in between has some unused lines. In the other
 * order, the gateway would have secrets that nobody knows.
 */
async function setSecrets(names: string[], { options, world, progress }: Course): Promise<Result<void, string>> {
  const made = makeSecrets(names, { kid: "k1", operator: options.operator });
  if (!made.ok) return made;
  const secrets = await keep(made.value, options.secretsTo, world);
  if (!secrets.ok) return secrets;
  const ran = await world.wrangler(["secret", "bulk"], { input: JSON.stringify(secrets.value) });
  if (ran.status !== 0)
    return err(
      failed(
        `The secrets could not be set. If the next run shows new ones, those are the ones to keep; if not, these were set after all`,
        ran,
      ),
    );
  progress.operatorToken = tokenIn(secrets.value) ?? progress.operatorToken;
  return ok(undefined);
}

/** Makes sure that a person has the secrets. Resolves to the secrets that will be used. */
async function keep(
  secrets: Record<string, string>,
  secretsTo: string | null,
  { say }: World,
): Promise<Result<Record<string, string>, string>> {
  if (secretsTo === null) {
    say(`Store these lines. They are shown once and cannot be read back:\n\n${linesOf(secrets)}`);
    return ok(secrets);
  }
  const written = await writeSecrets(secretsTo, secrets);
  if (written.ok) say(`They are in ${secretsTo}. Store them: they cannot be read back from the gateway.`);
  return written;
}

async function command({ world }: Course, args: string[], sentence: string): Promise<Result<void, string>> {
  const ran = await world.wrangler(args);
  return ran.status === 0 ? ok(undefined) : err(failed(sentence, ran));
}

async function upload({ options, world, progress }: Course): Promise<Result<void, string>> {
  const folder = await mkdtemp(join(tmpdir(), "deploy-"));
  try {
    const output = join(folder, "output.ndjson");
    const ran = await world.wrangler(["deploy"], { env: { WRANGLER_OUTPUT_FILE_PATH: output } });
    if (ran.status !== 0) return err(failed("The code could not be uploaded", ran));
    progress.baseUrl = options.url ?? addressIn(await readFile(output, "utf8"));
    return ok(undefined);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function answers({ world, progress }: Course): Promise<Result<void, string>> {
  if (progress.baseUrl === null) {
    return err("The code is uploaded, but wrangler names no address. Name the gateway's URL: --url URL");
  }
  const problem = await world.health(progress.baseUrl);
  return problem === null ? ok(undefined) : err(problem);
}

async function sells({ world, progress }: Course): Promise<Result<void, string>> {
  const { baseUrl, operatorToken } = progress;
  if (baseUrl === null || operatorToken === null) return err("There is no operator's token.");
  const trial = await world.trial(baseUrl, operatorToken);
  if (!trial.ok) return err(`The gateway answers, but the sale failed. ${trial.error}`);
  world.say(`   Approved, transaction ${trial.value.transId}, in ${trial.value.took} ms.`);
  return ok(undefined);
}

function planText(found: Found, names: Names, { steps, isUpdate, noTrial }: Plan): string {
  const { account, secrets, database, accounts } = found;
  return [
    `Cloudflare account  ${account ?? "not known"}`,
    `Worker              ${names.worker}, ${secrets === null ? "not there yet" : `with ${secrets.length} secrets`}`,
    `Database            ${names.database}, ${database ? `knows ${accounts} accounts` : "not there yet"}`,
    "",
    isUpdate ? "An update. Existing data is kept." : "A first deploy.",
    ...steps.map((step, index) => `  ${index + 1}. ${describeStep(step)}`),
    ...(noTrial === null ? [] : [noTrial]),
    "",
  ].join("\n");
}

function reportText({ baseUrl }: Progress, { isUpdate }: Plan): string {
  const next = isUpdate
    ? []
    : [`Create the first account and terminal: ${baseUrl}/docs/operating#the-first-account-and-terminal`];
  return ["", `The gateway answers at ${baseUrl}`, `The documentation is at ${baseUrl}/docs`, ...next].join("\n");
}
