/**
 * The gateway's source with passwords that cost next to nothing, for the gateway of the tests from outside, whose
 * logins would take most of its CPU. Wrangler bundles it as it bundles the real one. Gateways that tests start with
 * `npm start` are the real one, and so have the full cost.
 */
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What scrypt costs; see src/keys/passwords.ts. */
const COST = /^const LOG_N = \d+;$/mu;

/** Writes it below `folder`. Resolves to the Worker's entry. Throws if the cost is not found. */
export async function cheapSource(root: string, folder: string): Promise<string> {
  const built = join(root, "src", "client", "dist");
  await cp(join(root, "src"), join(folder, "src"), { recursive: true, filter: (path) => path !== built });
  await cp(join(root, "tsconfig.json"), join(folder, "tsconfig.json"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const passwords = join(folder, "src", "keys", "passwords.ts");
  const text = await readFile(passwords, "utf8");
  if (!COST.test(text)) throw new Error("src/keys/passwords.ts does not say what a hash costs where it is looked for");
  await writeFile(passwords, text.replace(COST, "const LOG_N = 4;"));
  return join(folder, "src", "index.ts");
}
