/** Every step can be repeated, and none is undone if a later one fails. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { CommandError } from "../../sdk/command-line/operator-client.ts";
import type { Result } from "../../protocol/result.ts";
import { formatSecrets, makeSecrets, tokenIn, writeSecrets } from "../development/secrets.ts";
import type { Trial } from "../simulate/simulation.ts";
import { addressIn, failureText, type Names, type Wrangler } from "../development/wrangler.ts";
import { type Deployed, type DeployStep, look, type Plan, plan } from "./plan.ts";
import type { DeployOptions } from "./options.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

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

const NOTHING: Deployed = { account: "not known", secrets: null, database: false, accounts: 0 };

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
  const known = { baseUrl: options.url, operatorToken: environment["OPERATOR_TOKEN"] || null };
  const steps = deploySteps(options, world, planned.missing, known);
  for (const [index, { kind, words }] of planned.steps.entries()) {
    say(`${index + 1}/${planned.steps.length} ${words}`);
    await steps[kind]().catch((error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      throw new CommandError(`${error.message}\n\nCompleted steps are kept. Run the same command again to continue.`);
    });
  }
  say(`\nThe gateway answers at ${known.baseUrl}\nThe documentation is at ${known.baseUrl}/docs`);
  if (found.accounts === 0) say(`Onboard the first shop: ${known.baseUrl}/docs/onboard-a-shop`);
}

/** @param known what the steps find out */
function deploySteps(
  { operator, secretsTo }: DeployOptions,
  { wrangler, say, health, trial }: World,
  missing: string[],
  known: { baseUrl: string | null; operatorToken: string | null },
): Record<DeployStep["kind"], () => Promise<void>> {
  const run = async (problem: string, ...command: Parameters<Wrangler>): Promise<void> => {
    const ran = await wrangler(...command);
    if (ran.status !== 0) throw new CommandError(failureText(problem, ran));
  };
  return {
    /**
     * Shows the secrets before it sets them: a user who is interrupted in between has some unused lines. In the other
     * order, the gateway would have secrets that nobody knows.
     */
    async secrets() {
      let secrets = unwrapResult(makeSecrets(missing, { kid: "k1", operator }));
      if (secretsTo === null) {
        say(`Store these lines. They are shown once and cannot be read back:\n\n${formatSecrets(secrets)}`);
      } else {
        secrets = unwrapResult(await writeSecrets(secretsTo, secrets));
        say(`They are in ${secretsTo}. Store them: they cannot be read back from the gateway.`);
      }
      const problem =
        "The secrets could not be set. If the next run shows new ones, those are the ones to keep; if not, these were set after all";
      await run(problem, ["secret", "bulk"], { input: JSON.stringify(secrets) });
      known.operatorToken = tokenIn(secrets) ?? known.operatorToken;
    },
    migrate: () => run("The database could not be migrated", ["d1", "migrations", "apply", "DATABASE", "--remote"]),
    async upload() {
      const folder = await mkdtemp(join(tmpdir(), "deploy-"));
      const output = join(folder, "output.ndjson");
      try {
        await run("The code could not be uploaded", ["deploy"], { env: { WRANGLER_OUTPUT_FILE_PATH: output } });
        known.baseUrl ??= addressIn(await readFile(output, "utf8"));
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    async health() {
      const noAddress = "The code is uploaded, but wrangler names no address. Name the gateway's URL: --url URL";
      const problem = known.baseUrl === null ? noAddress : await health(known.baseUrl);
      if (problem !== null) throw new CommandError(problem);
    },
    async trial() {
      const sale = await trial(known.baseUrl ?? "", known.operatorToken ?? "");
      if (!sale.ok) throw new CommandError(`The gateway answers, but the sale failed. ${sale.error}`);
      say(`   Approved, transaction ${sale.value.transId}, in ${sale.value.took} ms.`);
    },
  };
}

/** Throws CommandError. */
export function unwrapResult<Value>(result: Result<Value, string>): Value {
  if (result.ok) return result.value;
  throw new CommandError(result.error);
}

function planText({ account, secrets, database, accounts }: Deployed, names: Names, { steps, noTrial }: Plan): string {
  return [
    `Cloudflare account  ${account}`,
    `Worker              ${names.worker}, ${secrets === null ? "not there yet" : `with ${secrets.length} secrets`}`,
    `Database            ${names.database}, ${database ? `knows ${accounts} accounts` : "not there yet"}`,
    "",
    accounts > 0 ? "An update. Existing data is kept." : "A first deploy.",
    ...steps.map(({ words }, index) => `  ${index + 1}. ${words}`),
    ...(noTrial === null ? [] : [noTrial]),
    "",
  ].join("\n");
}

/** The name and certificate of a new address take some time to be known everywhere. */
const WITHIN: Milliseconds = 180_000;
const BETWEEN = 2_000;

/** Null once the gateway can serve, or a sentence if it cannot in time. */
export async function waitForHealth(baseUrl: string, within = WITHIN, between = BETWEEN): Promise<string | null> {
  for (const until = performance.now() + within; ; await delay(between)) {
    const problem = await healthProblem(baseUrl);
    if (problem === null) return null;
    if (performance.now() >= until) return `${baseUrl}/healthz does not return 200: ${problem}`;
  }
}

/** Null if the gateway can serve; otherwise what came in place of its answer, also if the body breaks off. */
async function healthProblem(baseUrl: string): Promise<string | null> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(10_000) });
    // Any Worker may answer 200, even the empty one that wrangler creates to hold secrets.
    if (response.status === 200 && (await response.text()).includes('"ok"')) return null;
    return `it answered ${response.status}.`;
  } catch (error) {
    // Of a failed fetch, the reason is in the cause.
    const { message, cause } = error as Error;
    return `${cause instanceof Error ? cause.message : message}.`;
  }
}
