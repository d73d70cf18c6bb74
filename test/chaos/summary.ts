import type { Verdict } from "./check/judge.ts";

/** A verdict in a line, and a line for each promise that was broken. */
export function summaryOf({ outcome, checks, unchecked }: Verdict): string {
  const made = checks.reduce((sum, check) => sum + check.made, 0);
  const broken = checks.filter(({ violations }) => violations.length > 0);
  const lines = broken.map(
    ({ promise, violations }) => `  ${promise}: ${violations[0]?.what ?? ""} (${violations.length})`,
  );
  const without = unchecked.length === 0 ? "" : `, and nothing to check of ${unchecked.join(", ")}`;
  const words = outcome === "violated" ? "PROMISES ARE BROKEN" : "Every promise is kept";
  return [`${words}: ${made} checks${without}.`, ...lines].join("\n");
}
