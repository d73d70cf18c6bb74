/** What a run was made with. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./gateway/gateway.ts";

export async function versions(): Promise<Record<string, string>> {
  const of = async (name: string): Promise<string> => {
    const text = await readFile(join(ROOT, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(text) as { version: string }).version;
  };
  const git = promisify(execFile)("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT });
  const commit = await git.then(
    ({ stdout }) => stdout.trim(),
    () => "unknown",
  );
  return { gateway: commit, Node: process.versions.node, wrangler: await of("wrangler"), workerd: await of("workerd") };
}
