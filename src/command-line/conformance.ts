/**
 * Tests whether a terminal or a point of sale keeps its duties: `npm run conformance -- terminal URL` and
 * `npx payment-terminal-client conformance terminal URL`; `pos` likewise.
 */
import { runCommand, UsageError } from "./invocation.ts";
import { credentials, drawSecret } from "./conformance/credentials.ts";
import { type ConformanceOptions, readOptions, withDash } from "./conformance/options.ts";
import { runPosKit, POS_STEPS } from "../conformance/pos/kit.ts";
import { EXIT, exitStatusOf, outcomeText, reportJson, summaryText } from "./conformance/report.ts";
import { commandDriver, personDriver } from "../conformance/pos/drive.ts";
import { startCommand, NOBODY, Person, type Tester } from "../conformance/tester.ts";
import { CannotListen } from "../conformance/listen.ts";
import type { Outcome, Step } from "../conformance/step.ts";
import { BIND_KEY, runTerminalKit, TERMINAL_STEPS } from "../conformance/terminal/kit.ts";

async function run(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === "string") {
    console.log(options);
    return EXIT.kept;
  }
  const steps: readonly Pick<Step<never>, "name" | "title" | "duty">[] =
    options.kit === "terminal" ? TERMINAL_STEPS : POS_STEPS;
  if (options.list === true) {
    for (const { name, title, duty } of steps) console.log(`${name.padEnd(20)} ${title}. ${duty}`);
    return EXIT.kept;
  }
  const unknown = options.only?.find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined) throw new UsageError(`There is no step ${unknown}. Use --list to see all steps.`);
  const byDefault = options.auto !== true && process.stdin.isTTY && options.drive === undefined;
  const interactive = options.interactive === true || byDefault;
  const tester = interactive ? new Person(process.stdin, process.stderr) : NOBODY;
  try {
    const outcomes = await (options.kit === "terminal" ? testTerminal(options, tester) : testPos(options, tester));
    console.log(
      options.json === true
        ? reportJson(options.kit, options.address.url.href, outcomes)
        : `\n${summaryText(outcomes)}`,
    );
    return exitStatusOf(outcomes);
  } finally {
    tester.close();
  }
}

/** With `--json`, standard output holds the report alone; messages for a person go to standard error. */
function sayer(options: ConformanceOptions): (text: string) => void {
  return (text) => (options.json === true ? console.error(text) : console.log(text));
}

function outputOf({ "show-output": showOutput }: ConformanceOptions): "shown" | "hidden" {
  return showOutput === true ? "shown" : "hidden";
}

async function testTerminal(options: ConformanceOptions, tester: Tester): Promise<Outcome[]> {
  const say = sayer(options);
  const { address, "restart-command": restartCommand } = options;
  const { url } = address;
  const output = outputOf(options);
  const { values, path, drawn } = await credentials("terminal", url, options.env, { TERMINAL_SECRET: drawSecret });
  const byPerson = async (): Promise<void> =>
    tester.tell("At the terminal: switch the power off and on again. Do nothing else, and present no card.");
  const amounts = { approve: options.approve, wait: options.wait, pending: options.pending };
  const bindKey = options["bind-key"] ?? BIND_KEY;
  return runTerminalKit({
    address,
    secret: values.TERMINAL_SECRET,
    terminalId: options.id ?? null,
    tester,
    only: options.only,
    patient: options.patient === true,
    amounts,
    bindKey,
    restart:
      restartCommand !== undefined
        ? async () => startCommand(restartCommand, { GATEWAY_URL: url.href }, output, say)
        : tester.present
          ? byPerson
          : null,
    onOpen: (at) => {
      say(`Waiting for the terminal at ${at}; bind key ${withDash(bindKey)}.`);
      if (drawn.length > 0) say(`The terminal's secret is TERMINAL_SECRET in ${path}.`);
      say("Start the terminal with an empty memory: it refuses request numbers lower than the highest it has seen.");
      if (tester.present) say("Leave payments alone unless you are told what to do: they end without you.");
      say("");
    },
    onOutcome: (outcome) => say(outcomeText(outcome)),
  });
}

async function testPos(options: ConformanceOptions, tester: Tester): Promise<Outcome[]> {
  const say = sayer(options);
  const { address, drive, "restart-command": restartCommand } = options;
  const output = outputOf(options);
  const restart =
    restartCommand === undefined
      ? undefined
      : (at: string): void => startCommand(restartCommand, { ...values, GATEWAY_URL: at }, output, say);
  const { values, path, drawn } = await credentials("pos", address.url, options.env, {
    POS_ID: () => "KIT-POS",
    MERCHANT_ID: () => "KIT-M",
    DEVICE_ID: () => "KIT-T",
    PASSWORD: drawSecret,
    SIGNING_KEY: drawSecret,
  });
  if (drive === undefined && !tester.present) {
    throw new UsageError("Choose how to drive the till: --drive COMMAND or --interactive.");
  }
  return runPosKit({
    address,
    account: {
      posId: values.POS_ID,
      merchantId: values.MERCHANT_ID,
      deviceId: values.DEVICE_ID,
      password: values.PASSWORD,
      signingKey: values.SIGNING_KEY,
    },
    driver: drive === undefined ? personDriver(tester) : commandDriver(drive, { ...values }, { output, restart }),
    tester,
    only: options.only,
    patient: options.patient === true,
    onOpen: (at) => {
      say(`Waiting for the till at ${at}.`);
      if (drawn.length > 0) say(`The till's credentials (${drawn.join(", ")}) are in ${path}.`);
      say("");
    },
    onOutcome: (outcome) => say(outcomeText(outcome)),
  });
}

await runCommand(run, (error) => (error instanceof CannotListen ? EXIT.usage : null));
process.exit();
