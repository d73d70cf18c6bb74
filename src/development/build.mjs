/**
 * Builds what is made ahead: the clients for other projects (dist/client, which the package exports) and the static site
 * that the Worker serves (dist/site: the console, the documentation, both contracts). Without words all of it; with
 * `clients` or `site` only that. npm runs it after an installation and before packing, wrangler before `dev` and `deploy`.
 *
 * Plain JavaScript, as an installation may run it on Node 20. Types are checked by `npm run types`, not here: an
 * installation must not fail on a change that is half-way done.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

const parts = { clients: buildClients, site: buildSite };

async function main(words) {
  if (!existsSync(compiler)) {
    console.log("Without the development packages there is no compiler; nothing is built.");
    return;
  }
  const unknown = words.find((word) => !Object.hasOwn(parts, word));
  if (unknown !== undefined)
    throw new Error(`There is no part ${unknown}; the parts are ${Object.keys(parts).join(", ")}.`);
  for (const part of words.length === 0 ? Object.keys(parts) : words) await parts[part]();
}

function buildClients() {
  const folder = join(root, "dist");
  const earlier = existsSync(folder) ? readdirSync(folder).filter((name) => name !== "site") : [];
  for (const name of earlier) rmSync(join(folder, name), { recursive: true, force: true });
  const args = [compiler, "-p", join(root, "src", "client", "tsconfig.json"), "--noCheck"];
  process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
}

async function buildSite() {
  const { build } = await import("esbuild");
  const shared = { absWorkingDir: root, bundle: true, write: false, format: "esm", logLevel: "error" };
  const site = await build({
    ...shared,
    entryPoints: ["src/development/site.ts"],
    platform: "node",
    loader: { ".md": "text", ".css": "text" },
  });
  const source = Buffer.from(site.outputFiles[0].contents).toString("base64");
  const { siteFiles } = await import(`data:text/javascript;base64,${source}`);
  writeFolder(join(root, "dist", "site"), { ...(await siteFiles()), ...(await consoleFiles(build)) });
}

/** The console's page, and all that it loads: one script, one style sheet, one icon. */
async function consoleFiles(build) {
  const folder = join(root, "src", "console");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/console/main.tsx", "src/console/style.css"],
    outdir: "dist/site/console",
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: ["es2022", "chrome120", "firefox121", "safari17.2"],
    legalComments: "none",
    logLevel: "error",
  });
  const built = outputFiles.map(({ path, contents }) => [`console/${basename(path)}`, contents]);
  const asTheyAre = ["index.html", "icon.svg"].map((name) => [`console/${name}`, readFileSync(join(folder, name))]);
  return Object.fromEntries([...built, ...asTheyAre]);
}

/**
 * Makes `folder` hold exactly `files`, texts or bytes by their path. Only what differs is touched, and each file is
 * replaced in one step: a gateway that runs serves from this folder meanwhile, and others may be building it, too.
 */
function writeFolder(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    if (existsSync(target) && readFileSync(target).equals(Buffer.from(content))) continue;
    mkdirSync(dirname(target), { recursive: true });
    const draft = join(root, "dist", `.draft-${process.pid}`);
    writeFileSync(draft, content);
    renameSync(draft, target);
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !Object.hasOwn(files, relative(folder, path).replaceAll("\\", "/"))) rmSync(path);
  }
}

await main(process.argv.slice(2));
