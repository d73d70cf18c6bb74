/**
 * What the gateway writes to the console, and when Vitest gets to know of it: after the test, from the test's own context.
 *
 * A line that an object or a request writes cannot be sent to Vitest from there. The plugin keeps it until the runner sends
 * something, but Vitest already counts it as a message to wait for. After a file's last message nothing is sent any more, so
 * a line at that moment kept the run from ever ending.
 */
import { format } from "node:util";
import { afterAll, afterEach } from "vitest";

interface Captured {
  lines: string[];
  held: (() => void)[];
}

declare global {
  var captured: Captured | undefined;
}

/** Of an earlier evaluation of this file: the console goes there already. */
const before = globalThis.captured;

/** Every line that has gone to the console since the file's tests began. */
export const lines: string[] = before?.lines ?? [];

/** What was logged of one event since there were `from` lines. */
export function logged(event: string, from: number): unknown[] {
  return lines
    .slice(from)
    .filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line) as unknown);
}

/** Lines that Vitest does not know of yet. */
const held: (() => void)[] = before?.held ?? [];
globalThis.captured = { lines, held };

for (const method of before === undefined ? (["log", "error", "warn", "info", "debug"] as const) : []) {
  const original = console[method].bind(console);
  console[method] = (...values: unknown[]) => {
    const line = format(...values);
    lines.push(line);
    held.push(() => original(line));
  };
}

function tellVitest(): void {
  for (const tell of held.splice(0)) tell();
}

/** Lets Vitest know of the lines of each test once it has ended: they are shown if it fails. Once per test file. */
export function showLines(): void {
  afterEach(tellVitest);
  afterAll(tellVitest);
}
