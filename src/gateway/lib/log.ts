/** One JSON object per line. Never a secret, a token, a password or a card number (I6). */

type LogLevel = "info" | "warning" | "error";

/**
 * @param event what happened, always in the same words, so that lines can be searched for it
 * @param facts who and what it is about; undefined members are omitted
 */
export function log(level: LogLevel, event: string, facts: Record<string, unknown>): void {
  const line = JSON.stringify({ level, event, ...facts });
  if (level === "error") console.error(line);
  else console.log(line);
}

/** For an exception that the operator must look at. */
export function logError(event: string, error: unknown, facts: Record<string, unknown> = {}): void {
  const { name, message, stack } = error instanceof Error ? error : { name: typeof error, message: "", stack: "" };
  log("error", event, { ...facts, error: { name, message, stack } });
}
