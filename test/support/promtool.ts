/** Prometheus's own checks. Debian's package `prometheus` has `promtool`; without it, what needs it is left out. */
import { spawnSync } from "node:child_process";

/** Null if it is not installed. */
export const PROMTOOL = spawnSync("promtool", ["--version"]).status === 0 ? "promtool" : null;

if (PROMTOOL === null) console.log("Left out: the checks of metrics and alert rules, which need promtool.");

/** Returns what the linter finds: nothing if all is well. */
export function checkMetrics(text: string): string {
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
  return status === 0 ? "" : `${stdout}${stderr}`;
}
