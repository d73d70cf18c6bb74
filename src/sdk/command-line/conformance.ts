/** `npm run conformance -- terminal URL`, `npx payment-terminal-client conformance terminal URL`; `pos` likewise. */
import { writeFile } from "node:fs/promises";
import { UsageError } from "./invocation.ts";
import { shopAt, readTerminalSecret } from "./conformance/credentials.ts";
import { conformanceProgram, type KitFlags, type PosKitFlags, type TerminalKitFlags } from "./conformance/options.ts";
import { runProgram } from "./program.ts";
import { PosError } from "../client/pos.ts";
import { CannotTest, runPosKit, POS_STEPS } from "../conformance/pos/kit.ts";
import { CommandError } from "./operator-client.ts";
import { fromCaller, Settings } from "./settings.ts";
import { KIT_EXIT, chooseExitStatus, kitOutcomeText, reportJson, summaryText } from "./conformance/report.ts";
import { reportPage } from "./conformance/report-page.ts";
import { commandDriver, personDriver } from "../conformance/pos/drive.ts";
import {
  countChargesBy,
  runCommand,
  startCommand,
  NOBODY,
  Person,
  withDash,
  type Output,
  type Tester,
} from "../conformance/tester.ts";
import { CannotListen } from "../conformance/listen.ts";
import type { StepOutcome, KitStep } from "../conformance/step.ts";
import { runTerminalKit, TERMINAL_STEPS } from "../conformance/terminal/kit.ts";

type ListedStep = Pick<KitStep<never>, "name" | "title" | "duty">;

/** Runs the kit unless the user only wants its steps. Resolves to the exit status. */
async function run(
  kit: "terminal" | "pos",
  steps: readonly ListedStep[],
  options: KitFlags & { drive?: string },
  test: (tester: Tester) => Promise<StepOutcome[]>,
): Promise<number> {
  if (options.list === true) {
    for (const { name, title, duty } of steps) console.log(`${name.padEnd(20)} ${title}. ${duty}`);
    return KIT_EXIT.kept;
  }
  const unknown = options.only?.find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined) throw new UsageError(`There is no step ${unknown}. Use --list to see all steps.`);
  const byDefault = options.auto !== true && process.stdin.isTTY && options.drive === undefined;
  const tester = options.interactive === true || byDefault ? new Person(process.stdin, process.stderr) : NOBODY;
  try {
    const outcomes = await test(tester);
    const { json, address, report } = options;
    if (report !== undefined) {
      const facts = { kit, url: address.url.href, at: new Date() };
      await writeFile(fromCaller(report), reportPage(facts, outcomes));
    }
    console.log(json === true ? reportJson(kit, address.url.href, outcomes) : `\n${summaryText(outcomes)}`);
    return chooseExitStatus(outcomes);
  } finally {
    tester.close();
  }
}

/** With `--json`, standard output has only the report; messages for a person go to standard error. */
function shared({ address, only, json, patient, showOutput }: KitFlags) {
  const say = (text: string): void => (json === true ? console.error(text) : console.log(text));
  const output: Output = showOutput === true ? "shown" : "hidden";
  const onOutcome = (outcome: StepOutcome): void => say(kitOutcomeText(outcome));
  return { say, output, kit: { address, only, patient: patient === true, onOutcome } };
}

async function testTerminal(options: TerminalKitFlags, tester: Tester): Promise<StepOutcome[]> {
  const { say, output, kit } = shared(options);
  const { url } = options.address;
  const { approve, wait, pending, restartCommand, secondCommand, chargesCommand, bindKey } = options;
  const { secret, path } = await readTerminalSecret(url, options.env);
  const byPerson = async (): Promise<void> =>
    tester.tell("At the terminal: switch the power off and on again. Do nothing else, and present no card.");
  const byCommand = async (command: string): Promise<void> =>
    startCommand(command, { GATEWAY_URL: url.href }, output, say);
  return runTerminalKit({
    ...kit,
    tester,
    secret,
    terminalId: options.id ?? null,
    amounts: { approve, wait, pending },
    bindKey,
    countCharges: chargesCommand === undefined ? undefined : countChargesBy(chargesCommand),
    restart: restartCommand !== undefined ? () => byCommand(restartCommand) : tester.present ? byPerson : null,
    second: secondCommand === undefined ? null : () => runCommand(secondCommand, { GATEWAY_URL: url.href }, output),
    onOpen: (at) => {
      say(`Waiting for the terminal at ${at}; bind key ${withDash(bindKey)}.`);
      if (path !== null) say(`The terminal's secret is TERMINAL_SECRET in ${path}.`);
      say("Start the terminal with an empty memory: it refuses request numbers lower than the highest it has seen.");
      if (tester.present) say("Leave payments alone unless you are told what to do: they end without you.");
      say("");
    },
  });
}

async function testPos(options: PosKitFlags, tester: Tester): Promise<StepOutcome[]> {
  const { say, output, kit } = shared(options);
  const { address, drive, restartCommand } = options;
  if (drive === undefined && !tester.present) {
    throw new UsageError("Choose how to drive the POS: --drive COMMAND or --interactive.");
  }
  const gateway = await gatewayFor(options);
  const { values, path } = await shopAt(gateway, address.url, options.env);
  const { TERMINAL_SECRET: secret, ...given } = values;
  const restart =
    restartCommand === undefined
      ? undefined
      : (at: string): void => startCommand(restartCommand, { ...given, GATEWAY_URL: at }, output, say);
  return runPosKit({
    ...kit,
    tester,
    gateway,
    account: {
      posId: given.POS_ID,
      merchantId: given.MERCHANT_ID,
      deviceId: given.DEVICE_ID,
      password: given.PASSWORD,
      signingKey: given.SIGNING_KEY,
    },
    terminalSecret: secret,
    driver: drive === undefined ? personDriver(tester) : commandDriver(drive, given, { output, restart }),
    onOpen: (at) => {
      say(`Waiting for the POS at ${at}. The gateway behind it is ${gateway}.`);
      if (path !== null) say(`The POS's credentials are in ${path}.`);
      say("");
    },
  });
}

/** Throws UsageError if no gateway answers there. */
async function gatewayFor({ url, env, address }: PosKitFlags): Promise<string> {
  const gateway = (await Settings.read(env)).url(url);
  const other = "Name the gateway that your POS is for with --url.";
  if (new URL(gateway).origin === address.url.origin)
    throw new UsageError(`${gateway} is the kit's own address. ${other}`);
  const answer = await fetch(`${gateway}/healthz`, { redirect: "manual" }).catch(() => null);
  if (answer !== null) return gateway;
  throw new UsageError(`No gateway answers at ${gateway}. Start one with npm start, and leave it running. ${other}`);
}

const kits = conformanceProgram({
  terminal: (options) => run("terminal", TERMINAL_STEPS, options, (tester) => testTerminal(options, tester)),
  pos: (options) => run("pos", POS_STEPS, options, (tester) => testPos(options, tester)),
});
const UNUSABLE = [CannotListen, CannotTest, CommandError, PosError];
await runProgram(kits, (error) => (UNUSABLE.some((kind) => error instanceof kind) ? KIT_EXIT.usage : null));
process.exit();
