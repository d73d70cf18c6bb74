/** A copy of the project with a fault in it, for wrangler to build the gateway from. */
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../gateway/gateway.ts";
import { changed, INSERTED, type FaultName } from "./faults.ts";

function isSource(path: string): boolean {
  return !/\/(?:node_modules|dist)$/u.test(path);
}

/** Resolves to the copy's folder. */
export async function projectWith(name: FaultName, folder: string): Promise<string> {
  // The copy serves the site as it is.
  await promisify(execFile)(process.execPath, [join(ROOT, "src/development/build.mjs"), "site"], { cwd: ROOT });
  const copy = join(folder, "project");
  await mkdir(copy, { recursive: true });
  for (const same of ["node_modules", "dist", "migrations", "package.json", "tsconfig.json"]) {
    await symlink(join(ROOT, same), join(copy, same));
  }
  await cp(join(ROOT, "src"), join(copy, "src"), { recursive: true, filter: isSource });
  const settings = await readFile(join(ROOT, "wrangler.toml"), "utf8");
  await writeFile(join(copy, "wrangler.toml"), settings.replace(/^\[build\]\n(?:.+\n)*/mu, ""));
  for (const change of INSERTED[name].changes) {
    const path = join(copy, "src", change.file);
    await writeFile(path, changed(await readFile(path, "utf8"), change));
  }
  return copy;
}
