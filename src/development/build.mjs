/**
 * Builds the clients for other projects: JavaScript and declarations in dist/, which the package exports. npm runs it
 * after an installation and before packing. It needs nothing but the compiler, and takes about a second.
 *
 * Types are checked by `npm run types`, not here: an installation must not fail on a change that is half-way done.
 */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

if (existsSync(compiler)) {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const args = [compiler, "-p", join(root, "src", "client", "tsconfig.json"), "--noCheck"];
  process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
} else {
  console.log("Without the development packages there is no compiler; the clients are not built.");
}
