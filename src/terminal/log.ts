/** One structured line per event of a transaction or connection. Never a secret, a token or a card number (I6). */
export function logEvent(
  level: "info" | "warning" | "error",
  event: string,
  members: Record<string, string | number | boolean | null | undefined>,
): void {
  const line = JSON.stringify({ level, event, ...members });
  if (level === "error") console.error(line);
  else console.log(line);
}
