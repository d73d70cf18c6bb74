/**
 * Builds the static site that the Worker serves (dist/site: the pages, the documentation, both contracts), the documentation
 * alone (dist/docs), and the package payment-terminal-client (src/sdk/dist). Pass `site`, `docs` or `client` to build only
 * one. Wrangler runs `site` before `dev` and `deploy`, npm runs `client` before it packs the package. With DOCS=later, `site` has
 * the documentation only if it is built and new: a gateway on this machine starts without it. `figures` writes the code's
 * numbers and tables into the documentation's Markdown; `stale` names the files that lack the newest, and fails if there is one.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const parts = { client: buildClient, docs: buildDocs, site: buildSite };
const onDemand = { figures: writeFigures, stale: nameStale };

async function main(words) {
  // The site reads its files from here.
  process.chdir(root);
  const all = { ...parts, ...onDemand };
  const unknown = words.find((word) => !Object.hasOwn(all, word));
  if (unknown !== undefined) throw new Error(`Unknown part ${unknown}. Use ${Object.keys(all).join(", ")}.`);
  for (const part of words.length === 0 ? Object.keys(parts) : words) await all[part]();
}

/** Returns the Markdown files whose figures differ from the code's. A table's spaces are the formatter's. */
async function staleFiles() {
  const { withFigures } = await imported("src/docs/build/inserts.ts");
  const docs = readdirSync(join(root, "src", "docs")).filter((name) => name.endsWith(".md"));
  const paths = ["README.md", ".github/CONTRIBUTING.md", ...docs.map((name) => `src/docs/${name}`)];
  return paths.flatMap((path) => {
    const old = readFileSync(join(root, path), "utf8");
    const text = withFigures(old);
    return packed(text) === packed(old) ? [] : [{ path, text }];
  });
}

function packed(text) {
  return text.replaceAll(/\s+|(?<=--)-+/gu, "");
}

async function writeFigures() {
  for (const { path, text } of await staleFiles()) {
    writeFileSync(join(root, path), text);
    console.log(path);
  }
}

async function nameStale() {
  const stale = await staleFiles();
  if (stale.length > 0) throw new Error(`Run npm run figures: ${stale.map(({ path }) => path).join(", ")}`);
}

/** Builds modules with declarations for other programs, and a bundle of the command-line tools. */
async function buildClient() {
  const folder = join(root, "src", "sdk");
  const dist = join(folder, "dist");
  rmSync(dist, { recursive: true, force: true });
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", join(folder, "tsconfig.package.json")], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("Could not compile the clients.");
  const { declarationFiles } = await imported("src/docs/contracts/declarations.ts");
  writeFolder(join(dist, "protocol", "schemas"), declarationFiles());

  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/sdk/command-line/main.ts"],
    outdir: join(dist, "bin"),
    bundle: true,
    // Each command loads only its own code.
    splitting: true,
    chunkNames: "[name]-[hash]",
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // CommonJS packages in an ES module bundle call `require` for Node's own modules.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    legalComments: "none",
    logLevel: "error",
  });
  writeFileSync(join(dist, "bin", "LICENSES.txt"), readLicenses(metafile));
}

/**
 * Licenses that must be distributed with the code: of the packages in a bundle, and of those in folders.
 *
 * @param {{ inputs: Record<string, unknown> }} metafile
 * @param {readonly string[]} others
 */
function readLicenses({ inputs }, others = []) {
  const bundled = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(path) ?? []);
  const folders = [...bundled, ...others];
  const texts = [...new Set(folders)].toSorted().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return `${name} ${version}\n\n${licenseIn(join(root, folder)).trim()}\n`;
  });
  return texts.join("\n\n");
}

/** Finds a license with any file extension. */
function licenseIn(folder) {
  const name = readdirSync(folder).find((file) => /^licen[sc]e(\.|$)/iu.test(file));
  if (name === undefined) throw new Error(`${folder} has no license.`);
  return readFileSync(join(folder, name), "utf8");
}

/** Wrangler asks for the site at each start: it is built only if its sources, or the site itself, have changed. */
async function buildSite() {
  const folder = join(root, "dist", "site");
  const note = join(root, "dist", ".site-built");
  const sources = describeState(siteSources());
  if (process.env.DOCS !== "later") buildDocs(sources);
  const hasDocs = isBuilt(DOCS_NOTE, sources, DOCS);
  const state = `${sources} ${hasDocs ? "with" : "without"} documentation`;
  if (isBuilt(note, state, folder)) return;
  writeFolder(folder, { ...(hasDocs ? docsFiles() : {}), ...(await siteContent()) });
  writeFileSync(note, readNote(state, folder));
}

const DOCS = join(root, "dist", "docs");
const DOCS_NOTE = join(root, "dist", ".docs-built");

function docsFiles() {
  return Object.fromEntries(listFiles(DOCS).map((path) => [`docs/${sitePath(DOCS, path)}`, readFileSync(path)]));
}

/**
 * VitePress writes temporary files beside its sources, which a running wrangler watches. So it works on a copy, whose result
 * replaces the last one in one step.
 */
function buildDocs(sources = describeState(siteSources())) {
  if (isBuilt(DOCS_NOTE, sources, DOCS)) return;
  const copy = join(root, "dist", `.docs-${process.pid}`);
  removeAbandonedCopies();
  try {
    for (const name of ["src", "tsconfig.json"]) cpSync(join(root, name), join(copy, name), { recursive: true });
    const vitepress = join(root, "node_modules", "vitepress", "bin", "vitepress.js");
    const command = [vitepress, "build", join(copy, "src", "docs"), "--outDir", join(copy, "docs")];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: copy, encoding: "utf8" });
    if (status !== 0) throw new Error(`The documentation could not be built.\n${stdout}${stderr}`);
    rmSync(DOCS, { recursive: true, force: true });
    renameSync(join(copy, "docs"), DOCS);
    writeFileSync(DOCS_NOTE, readNote(sources, DOCS));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Those of builds that were ended from outside: none takes an hour. */
function removeAbandonedCopies() {
  const dist = join(root, "dist");
  if (!existsSync(dist)) return;
  const now = Date.now();
  for (const name of readdirSync(dist).filter((one) => /^\.docs-\d+$/u.test(one))) {
    const path = join(dist, name);
    if (now - statSync(path).mtimeMs > 3_600_000) rmSync(path, { recursive: true, force: true });
  }
}

/** Lists the sources without the built package, the files of the project's root, and the packages. */
function siteSources() {
  const files = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile());
  const src = join(root, "src");
  const dist = join(src, "sdk", "dist");
  return [
    ...listFiles(src).filter((path) => !path.startsWith(join(dist, "/"))),
    ...files.map(({ name }) => join(root, name)).toSorted(),
    join(root, "node_modules", ".package-lock.json"),
  ];
}

function isBuilt(note, sources, folder) {
  return existsSync(note) && readFileSync(note, "utf8") === readNote(sources, folder);
}

function readNote(sources, folder) {
  return `${sources}\n${describeState([folder])}\n`;
}

/**
 * A digest of the names, sizes and times of change of files. A folder stands for all files below it. A path that does
 * not exist counts as empty.
 *
 * @param {readonly string[]} paths of files and folders
 * @returns {string} 64 hexadecimal digits
 */
function describeState(paths) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(listFiles)) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function listFiles(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

async function siteContent() {
  const { siteFiles } = await imported("src/docs/site.ts");
  return { ...siteFiles(), ...(await browserFiles()), ...consoleFiles() };
}

/** Imports a module in TypeScript. */
async function imported(entryPoint) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  const source = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${source}`);
}

/**
 * Builds the scripts and style sheets of both pages, and collects the licenses of all, with those of the documentation.
 */
async function browserFiles() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      "console/main": "src/pages/main.tsx",
      "console/style": "src/pages/style.css",
      "operator/console/main": "src/pages/operator/main.tsx",
      "operator/console/style": "src/pages/operator/style.css",
    },
    outdir: "dist/site",
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: ["es2022", "chrome120", "firefox121", "safari17.2"],
    metafile: true,
    legalComments: "none",
    logLevel: "error",
  });
  const site = join(root, "dist", "site");
  const files = Object.fromEntries(outputFiles.map(({ path, contents }) => [sitePath(site, path), contents]));
  return {
    ...files,
    "licenses.txt": readLicenses(metafile, ["node_modules/vitepress", "node_modules/vue", "node_modules/minisearch"]),
  };
}

/** The files of both pages that are served unchanged, with the icon of the whole site. */
function consoleFiles() {
  const folder = join(root, "src", "pages");
  const files = {
    "console/index.html": "index.html",
    "console/icon.svg": "../docs/public/icon.svg",
    "operator/console/index.html": "operator/index.html",
    "operator/console/icon.svg": "../docs/public/icon.svg",
  };
  return Object.fromEntries(Object.entries(files).map(([path, name]) => [path, readFileSync(join(folder, name))]));
}

/** Writes a path with slashes on every system. */
function sitePath(site, path) {
  return relative(site, path).replaceAll("\\", "/");
}

/**
 * Makes `folder` contain exactly `files`, strings or bytes by path. Changes only files that differ, and replaces each
 * in one step: a running gateway serves from this folder, and other builds may run at the same time.
 */
function writeFolder(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    if (existsSync(target) && readFileSync(target).equals(Buffer.from(content))) continue;
    mkdirSync(dirname(target), { recursive: true });
    const draft = join(root, "dist", `.draft-${process.pid}`);
    mkdirSync(dirname(draft), { recursive: true });
    writeFileSync(draft, content);
    renameSync(draft, target);
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !Object.hasOwn(files, sitePath(folder, path))) rmSync(path);
  }
}

await main(process.argv.slice(2));
