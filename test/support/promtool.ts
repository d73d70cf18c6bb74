/** Prometheus's own checks. Debian's package `prometheus` has `promtool`; without it, what needs it is left out. */
import { spawnSync } from "node:child_process";

export const HAS_PROMTOOL = spawnSync("promtool", ["--version"]).status === 0;

if (!HAS_PROMTOOL) console.log("Left out: the checks of metrics and alert rules, which need promtool.");

/** Runs it, and returns what it finds: nothing if all is well. */
export function promtool(words: string[], options: { cwd?: string; input?: string }): string {
  const { status, stdout, stderr } = spawnSync("promtool", words, { ...options, encoding: "utf8" });
  return status === 0 ? "" : `${stdout}${stderr}`;
}
