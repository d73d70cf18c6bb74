/** Structured log lines: one JSON object each, without secrets, tokens, passwords or card numbers (I6). */

/** An error that somebody has to look at; the request it belongs to, where there is one, in `facts`. */
export function logError(event: string, error: unknown, facts: Record<string, unknown> = {}): void {
  const { name, message, stack } = error instanceof Error ? error : { name: typeof error, message: "", stack: "" };
  console.error(JSON.stringify({ level: "error", event, ...facts, error: { name, message, stack } }));
}

export function logInfo(event: string, facts: Record<string, unknown>): void {
  console.log(JSON.stringify({ level: "info", event, ...facts }));
}
