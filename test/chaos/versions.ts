/** What a run was made with. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./gateway/gateway.ts";

export async function versions(): Promise<Record<string, string>> {
  const [gateway, wrangler, workerd] = await Promise.all([commit(), versionOf("wrangler"), versionOf("workerd")]);
  return { gateway, Node: process.versions.node, wrangler, workerd };
}

async function commit(): Promise<string> {
  const git = promisify(execFile)("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT });
  return git.then(
    ({ stdout }) => stdout.trim(),
    // Not every copy is a clone.
    () => "unknown",
  );
}

async function versionOf(name: string): Promise<string> {
  const text = await readFile(join(ROOT, "node_modules", name, "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
