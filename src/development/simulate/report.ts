import { percentile } from "./book.ts";
import type { Simulation } from "./simulation.ts";

/** One line about the progress. `elapsed`: milliseconds. */
export function runningLine(simulation: Simulation, elapsed: number): string {
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

/** The report at the end. `selling`: milliseconds. */
export function finalReport(simulation: Simulation, broken: readonly string[], selling: number): string {
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
