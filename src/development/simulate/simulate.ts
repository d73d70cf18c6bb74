/** `npm run simulate`: drives a fleet of simulated terminals against a running gateway, and reports. */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Settings } from "../../command-line/settings.ts";
import { UsageError } from "../../command-line/invocation.ts";
import { PatientOperator, removeAll } from "../shop.ts";
import { CommandError, operatorTokenFor } from "../../command-line/operator/client.ts";
import { PosError } from "../../client/pos.ts";
import { percentile } from "./book.ts";
import { deleteNote, hostProblem, leftBehind, simulateProgram, type SimulateOptions, takeNote } from "./options.ts";
import { runProgram } from "../../command-line/program.ts";
import { Simulation } from "./simulation.ts";

const EXIT = { kept: 0, broken: 1, failed: 3 };

/** Milliseconds for the sales in progress: longer than a request lives; short after Ctrl-C. */
const COMPLETE_WITHIN = 120_000;
const COMPLETE_SOON = 20_000;

/** Milliseconds between two progress lines; longer if the output is a file. */
const LINE_EVERY = process.stdout.isTTY ? 1_000 : 10_000;

/**
 * npm forwards a Ctrl-C that this process has already received: a second signal counts only after this many
 * milliseconds.
 */
const SAME_SIGNAL = 1_000;

async function simulate(options: SimulateOptions): Promise<number> {
  const settings = await Settings.read(options.env);
  const url = settings.url(options.url);
  const problem = hostProblem(url, options.allowHost);
  if (problem !== null) throw new UsageError(problem);
  const operator = new PatientOperator(url, await operatorTokenFor(settings, url));
  const notes = settings.folder("simulations", url);
  await removeLeftovers(operator, notes);
  const prefix = `SIM-${randomBytes(4).toString("hex").toUpperCase()}`;
  const release = takeNote(notes, prefix);
  const { terminals, salesPerMinute, seed, minutes } = options;
  const simulation = new Simulation({ baseUrl: url, operator, prefix, terminals, salesPerMinute, seed });
  const asked = askedToEnd();
  let broken: string[] = [];
  let selling = 0;
  try {
    console.log(`${prefix}: setting up ${terminals} terminals at ${url} (seed ${seed}) …`);
    await simulation.setUp(asked);
    if (!asked.aborted) console.log("Connecting them …");
    await simulation.connect(asked);
    if (!asked.aborted) console.log(`Selling for ${minutes} minutes. Press Ctrl-C to stop.`);
    const begun = performance.now();
    const lines = new AbortController();
    void tell(simulation, lines.signal);
    await simulation.sell(minutes * 60_000, asked);
    selling = performance.now() - begun;
    await simulation.complete(asked.aborted ? COMPLETE_SOON : COMPLETE_WITHIN);
    lines.abort();
    broken = await simulation.judge();
  } finally {
    await simulation.stop();
    const removed = await removeAll(operator, prefix);
    release();
    console.log(`Removed ${removed.accounts} accounts and ${removed.terminals} terminals.`);
  }
  console.log(`\n${finalReport(simulation, broken, selling)}`);
  return broken.length === 0 ? EXIT.kept : EXIT.broken;
}

async function removeLeftovers(operator: PatientOperator, notes: string): Promise<void> {
  for (const prefix of leftBehind(notes)) {
    const { accounts, terminals } = await removeAll(operator, prefix);
    deleteNote(notes, prefix);
    console.log(`Removed ${accounts} accounts and ${terminals} terminals that ${prefix} had left behind.`);
  }
}

/** On a screen, always in the same place. */
async function tell(simulation: Simulation, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  for (;;) {
    await delay(LINE_EVERY, undefined, { signal }).catch(() => undefined);
    const line = runningLine(simulation, performance.now() - begun);
    if (process.stdout.isTTY) process.stdout.write(`\r\u001B[2K${line}${signal.aborted ? "\n" : ""}`);
    else console.log(line);
    if (signal.aborted) return;
  }
}

/** Aborted on Ctrl-C, on `kill`, and when the parent process ends. A second Ctrl-C ends this process at once. */
function askedToEnd(): AbortSignal {
  const asked = new AbortController();
  let first = 0;
  const end = (): void => {
    if (asked.signal.aborted && performance.now() - first < SAME_SIGNAL) return;
    if (asked.signal.aborted) {
      console.error("Not everything is removed. The next run removes the rest.");
      process.exit(EXIT.failed);
    }
    first = performance.now();
    asked.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  process.on("disconnect", () => asked.abort());
  return asked.signal;
}

/** `elapsed`: milliseconds. */
function runningLine(simulation: Simulation, elapsed: number): string {
  const { book, disruptions } = simulation;
  const { all } = simulation.times();
  const minutes = Math.floor(elapsed / 60_000);
  const seconds = String(Math.floor(elapsed / 1_000) % 60).padStart(2, "0");
  return [
    `${minutes}:${seconds}`,
    `${book.entries.length} transactions`,
    `00 ${book.count("00")}  11 ${book.count("11")}  22 ${book.count("22")}`,
    `${simulation.inProgress} in progress`,
    `p50 ${inSeconds(percentile(all, 0.5))}  p95 ${inSeconds(percentile(all, 0.95))}`,
    `${disruptions.reconnects} reconnects`,
  ].join(" · ");
}

/** `selling`: milliseconds. */
function finalReport(simulation: Simulation, broken: readonly string[], selling: number): string {
  const { book, disruptions } = simulation;
  const { all, own } = simulation.times();
  const codes = new Map<string, number>();
  for (const { statusCode, responseCode } of book.entries) {
    const code = statusCode === null ? "no answer" : `${statusCode} ${responseCode}`;
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  const perMinute = selling === 0 ? 0 : (book.entries.length / selling) * 60_000;
  const rows: [string, string][] = [
    ["Transactions", `${book.entries.length}, ${perMinute.toFixed(0)} per minute`],
    ...[...codes]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, count]): [string, string] => [`  ${code}`, String(count)]),
    ...[...book.refused].map(([kind, count]): [string, string] => [`  ${kind}`, `${count}, no money moved`]),
    ["Till's wait, p50, p95", `${inSeconds(percentile(all, 0.5))}, ${inSeconds(percentile(all, 0.95))}`],
    ["  without customer, terminal", `${inMilliseconds(own, 0.5)}, ${inMilliseconds(own, 0.95)}`],
    ["Sent again to compare", `${book.counts.repeated}, ${book.changed.length} changed`],
    ["Answers lost on purpose", String(book.counts.lost)],
    ["Rate limited (429)", String(book.counts.limited)],
    ["Connections dropped", String(disruptions.dropped)],
    ["Power cuts", String(disruptions.powerCuts)],
    ["Reconnects", String(disruptions.reconnects)],
    ["Broken promises", String(broken.length)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`), ...broken.map((one) => `  ${one}`)].join(
    "\n",
  );
}

function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(2)} s`;
}

function inMilliseconds(values: readonly number[], share: number): string {
  return `${percentile(values, share).toFixed(0)} ms`;
}

await runProgram(simulateProgram(simulate), (error) =>
  error instanceof CommandError || error instanceof PosError ? EXIT.failed : null,
);
process.exit();
