/** `npm run simulate`: drives a fleet of simulated terminals against a running gateway, and reports. */
import { join } from "node:path";
import { PosError } from "../../sdk/client/pos.ts";
import { onEnd, UsageError } from "../../sdk/command-line/invocation.ts";
import { takeLock } from "../../sdk/command-line/lock-file.ts";
import { CommandError, operatorTokenFor } from "../../sdk/command-line/operator-client.ts";
import { runProgram } from "../../sdk/command-line/program.ts";
import { Settings } from "../../sdk/command-line/settings.ts";
import { tableLines } from "../../sdk/command-line/table.ts";
import { MINUTE, SECOND, type Milliseconds } from "../../protocol/time/units.ts";
import { PatientOperator, removeAll } from "../development/shop.ts";
import { hostProblem, simulateProgram, type SimulateOptions } from "./options.ts";
import { PREFIX, Simulation } from "./simulation.ts";

const EXIT = { kept: 0, broken: 1, failed: 3 };

/** The sales in progress have this time to end: longer than a request lives, but short after Ctrl-C. */
const COMPLETE_WITHIN: Milliseconds = 120 * SECOND;
const COMPLETE_SOON: Milliseconds = 20 * SECOND;

/** How often a line says how far it is. */
const LINE_EVERY: Milliseconds = 10 * SECOND;

async function simulate({ env, url: given, allowHost, ...options }: SimulateOptions): Promise<number> {
  const settings = await Settings.read(env);
  const url = settings.url(given);
  const problem = hostProblem(url, allowHost);
  if (problem !== null) throw new UsageError(problem);
  const operator = new PatientOperator(url, await operatorTokenFor(settings, url));
  // Two runs would remove each other's accounts.
  const lock = takeLock(join(settings.folder("simulations", url), "lock"));
  if (!lock.ok) throw new UsageError(`Process ${lock.error?.pid ?? ""} already simulates at ${url}.`);
  const left = await removeAll(operator, PREFIX);
  if (left.accounts > 0) console.log(`Removed ${removedText(left)} that an earlier run had left behind.`);
  const { terminals, minutes, salesPerMinute, seed } = options;
  const simulation = new Simulation(url, operator, seed);
  const asked = new AbortController();
  const giveUp = (within: Milliseconds): unknown => setTimeout(() => simulation.giveUp(), within);
  onEnd(() => {
    asked.abort();
    giveUp(COMPLETE_SOON);
  });
  try {
    console.log(`${simulation.id}: connecting ${terminals} terminals at ${url} (seed ${seed}) …`);
    await simulation.open(terminals, asked.signal);
    if (!asked.signal.aborted) console.log(`Selling for ${minutes} minutes. Press Ctrl-C to stop.`);
    giveUp(minutes * MINUTE + COMPLETE_WITHIN);
    const { entries } = simulation;
    const lines = setInterval(() => console.log(`${entries.length} transactions, ${waits(entries)}`), LINE_EVERY);
    const begun = performance.now();
    await simulation.sell(minutes * MINUTE, salesPerMinute, asked.signal);
    const sold = performance.now() - begun;
    await simulation.complete();
    clearInterval(lines);
    const broken = await simulation.judge();
    console.log(`\n${report(simulation, broken, sold)}`);
    return broken.length === 0 ? EXIT.kept : EXIT.broken;
  } finally {
    console.log(`Removed ${removedText(await simulation.close())}.`);
    lock.value();
  }
}

function removedText({ accounts, terminals }: Awaited<ReturnType<typeof removeAll>>): string {
  return `${accounts} accounts and ${terminals} terminals`;
}

/** @param sold how long sales were made */
function report({ entries, faults }: Simulation, broken: readonly string[], sold: Milliseconds): string {
  const codes = Map.groupBy(entries, ({ statusCode, responseCode }) => `${statusCode ?? ""} ${responseCode}`.trim());
  const rows = [
    ["Transactions", `${entries.length}, ${((entries.length / Math.max(sold, 1)) * MINUTE).toFixed(0)} per minute`],
    ...[...codes].map(([code, { length }]) => [`  ${code}`, String(length)]),
    ["Wait of the POS", waits(entries)],
    ["Answers lost on purpose", String(faults.answersLost)],
    ["Connections dropped", String(faults.connectionsDropped)],
    ["Power cuts", String(faults.powerCuts)],
    ["Broken promises", String(broken.length)],
  ];
  return [...tableLines(rows), ...broken.map((one) => `  ${one}`)].join("\n");
}

function waits(entries: Simulation["entries"]): string {
  const sorted = entries.map(({ took }) => took).toSorted((one, other) => one - other);
  const at = (share: number): string => ((sorted[Math.floor(sorted.length * share)] ?? 0) / SECOND).toFixed(2);
  return `p50 ${at(0.5)} s, p95 ${at(0.95)} s`;
}

await runProgram(simulateProgram(simulate), (error) =>
  error instanceof CommandError || error instanceof PosError ? EXIT.failed : null,
);
process.exit();
