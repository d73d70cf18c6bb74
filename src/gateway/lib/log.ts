/** The log has one JSON object per line, and never a secret, a token, a password or a card number (I6). */
import type { LogEvent, LogLevel } from "./log-events.ts";

/**
 * @param event what happened: a name of the table in `log-events.ts`
 * @param facts who and what it is about; undefined members are omitted
 */
export function log(level: LogLevel, event: LogEvent, facts: Record<string, unknown>): void {
  write({ level, text: JSON.stringify({ level, event, ...facts }) });
}

interface Line {
  level: LogLevel;
  text: string;
}

/** Lines of the transaction that is running; null: none is. */
let held: Line[] | null = null;

function write(line: Line): void {
  if (held !== null) held.push(line);
  else if (line.level === "error") console.error(line.text);
  else console.log(line.text);
}

/**
 * What a transaction logs is written after its commit, and dropped if it is undone: no line says what was not stored.
 *
 * @param transaction must not await
 */
export function logAfterCommit<Outcome>(transaction: () => Outcome): Outcome {
  const outer = held;
  const own: Line[] = [];
  held = own;
  let outcome: Outcome;
  try {
    outcome = transaction();
  } finally {
    held = outer;
  }
  for (const line of own) write(line);
  return outcome;
}

/** For an exception that the operator must look at. */
export function logError(event: LogEvent, error: unknown, facts: Record<string, unknown> = {}): void {
  const { name, message, stack } = error instanceof Error ? error : { name: typeof error, message: "", stack: "" };
  log("error", event, { ...facts, error: { name, message, stack } });
}
