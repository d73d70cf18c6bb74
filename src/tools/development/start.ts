/** `npm start`: runs the gateway on this machine with a demo account and a simulated terminal, and makes one sale. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { BrowserTerminals } from "./browser-terminals.ts";
import { checkKeys, lockFolder, noteKeys } from "./data-folder.ts";
import { PosError } from "../../sdk/client/pos.ts";
import { ConsoleLink } from "./console-link.ts";
import { onEnd, UsageError } from "../../sdk/command-line/invocation.ts";
import { credentialsPath } from "../../sdk/command-line/settings.ts";
import { type Demo, setUpDemo } from "./demo.ts";
import { Documentation } from "./documentation.ts";
import { makeDevVars, secretsProblem } from "./secrets.ts";
import { CommandError, OperatorClient, operatorToken } from "../../sdk/command-line/operator-client.ts";
import { GatewayProcess, isFree, migrateDatabase } from "./gateway-process.ts";
import { whereToGoOn } from "./instructions.ts";
import { startProgram, type StartOptions } from "./options.ts";
import { runProgram } from "../../sdk/command-line/program.ts";
import { readOrigins } from "../../gateway/http/middleware/cors-origins.ts";
import { variableIn } from "./wrangler.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const devVars = join(root, ".dev.vars");

/** Resolves to the exit status. */
async function start(options: StartOptions): Promise<number> {
  const { port, persistTo } = options;
  const locked = await lockFolder(persistTo, port);
  if (!locked.ok) return stopWith(locked.error);
  try {
    return await runLocked(options);
  } finally {
    locked.value();
  }
}

/** Creates secrets and the database. Returns what prevents the start, or null. */
async function prepare(options: StartOptions): Promise<string | null> {
  const { port, persistTo, vars } = options;
  const configuration = await readFile(join(root, "wrangler.toml"), "utf8");
  const [originProblem] = readOrigins(vars["CORS_ORIGINS"] ?? variableIn(configuration, "CORS_ORIGINS")).problems;
  if (originProblem !== undefined) return originProblem;
  if (!(await isFree(port))) return `Port ${port} is in use. Choose another port with PORT=….`;
  try {
    const keyProblem = await checkKeys(devVars, persistTo);
    if (keyProblem !== null) return keyProblem;
    await makeDevVars(devVars);
    const secretProblem = await secretsProblem(devVars);
    if (secretProblem !== null) return secretProblem;
    await noteKeys(devVars, persistTo);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  const migrationProblem = await migrateDatabase(root, options);
  return migrationProblem === null ? null : `Could not prepare the local database:\n${migrationProblem}`;
}

/** `ends` runs last to first. */
interface Run {
  options: StartOptions;
  gateway: GatewayProcess;
  /** Null without a demo that stays. */
  link: ConsoleLink | null;
  ends: (() => Promise<void>)[];
}

async function runLocked(options: StartOptions): Promise<number> {
  const { port, persistTo, bare, once } = options;
  const unprepared = await prepare(options);
  if (unprepared !== null) return stopWith(unprepared);
  console.log("Starting the gateway …");
  const link = bare || once ? null : await ConsoleLink.open(port);
  const documentation = await Documentation.open(root);
  const vars = link && { CONSOLE_DEMO_ORIGIN: link.origin, DEMO_FILE: resolve(credentialsPath(persistTo)) };
  const gateway = new GatewayProcess(root, options, { ...vars, DOCS_ORIGIN: documentation.origin });
  const ends = [async () => link?.close(), () => documentation.close(), () => gateway.end()];
  const asked = new Promise<"asked">((end) => onEnd(() => end("asked")));
  try {
    const problem = await Promise.race([gateway.up(), asked]);
    if (problem === "asked") return 0;
    if (problem !== null) return stopWith(problem);
    const status = await (bare ? tellAddress(gateway) : showDemo({ options, gateway, link, ends }));
    if (status !== null) return status;
    // The documentation is built only now: it must not delay the first sale.
    documentation.build();
    return (await Promise.race([gateway.ended, asked])) === "asked" ? 0 : stopWith("The gateway stopped unexpectedly.");
  } catch (error) {
    if (error instanceof CommandError || error instanceof PosError || error instanceof UsageError) {
      return stopWith(error.message);
    }
    throw error;
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

function tellAddress({ baseUrl }: GatewayProcess): null {
  console.log(`The gateway listens on ${baseUrl}. The console is at ${baseUrl}/console. Press Ctrl-C to stop.`);
  return null;
}

/**
 * Makes the demo's sale and, unless `once`, opens the console. Resolves to the exit status; null if the gateway continues.
 */
async function showDemo({ options, gateway, link, ends }: Run): Promise<number | null> {
  const { baseUrl } = gateway;
  const { persistTo } = options;
  const token = await operatorToken(devVars);
  const operator = new OperatorClient(baseUrl, token);
  const { shop, pos, terminal, sell } = await setUpDemo(baseUrl, operator, persistTo);
  ends.push(() => terminal.stop());
  const sale = await sell();
  show(sale);
  if (link === null) return sale.answer.statusCode === "00" ? 0 : 1;
  const { posId, merchantId, password, signingKey } = shop;
  const terminals = new BrowserTerminals({ baseUrl, operator, pos, persistTo });
  link.offer(async (browser) => ({ posId, merchantId, password, signingKey, ...(await terminals.of(browser)) }));
  console.log(whereToGoOn(baseUrl, persistTo, link.address));
  return null;
}

function show({ request, answer }: Awaited<ReturnType<Demo["sell"]>>): void {
  console.log(`\nPOST /api/transfer\n${JSON.stringify(request, null, 2)}\n`);
  console.log(`200\n${JSON.stringify(answer, null, 2)}\n`);
  console.log(`statusCode ${answer.statusCode}: ${answer.responseText ?? answer.responseCode}`);
}

function stopWith(sentence: string): number {
  console.error(sentence);
  return 1;
}

await runProgram(startProgram(start));
process.exit();
