/**
 * `npm run ships`: what a deploy would upload. Fails where the bundle holds a package that is not named here (or lacks
 * one that is) or a file that is for the build alone, where it has grown beyond its limit, and where the registry knows a
 * vulnerability of a package that ships. Prints the sizes.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { BUNDLE_BYTES } from "../limits.ts";

/** The packages that run beside the service's own code, in production, with its secrets. */
const PACKAGES = ["@hono/zod-validator", "@noble/hashes", "hono", "jose", "uqr", "zod"];

/** What the build makes files from, and what is there for its types alone: words for people, not code for the Worker. */
const APART = ["src/console/", "src/contracts/", "src/docs/", "src/http/answers/"];
const APART_FILES = ["src/terminal/gateway-frames.ts", "src/transfer/answers.ts", "src/validation/described.ts"];

const root = join(import.meta.dirname, "..", "..");

/** What esbuild tells of a bundle, of which only the parts are needed here. */
interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** Bundles as a deploy does, without deploying. */
function bundle(folder: string): { code: Buffer; metafile: Metafile } {
  const wrangler = join(root, "node_modules", "wrangler", "bin", "wrangler.js");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [wrangler, "deploy", "--dry-run", "--outdir", folder, "--metafile"],
    { cwd: root, encoding: "utf8", env: { ...process.env, WRANGLER_SEND_METRICS: "false" } },
  );
  if (status !== 0) throw new Error(`The Worker could not be bundled.\n${stdout}${stderr}`);
  return {
    code: readFileSync(join(folder, "index.js")),
    metafile: JSON.parse(readFileSync(join(folder, "bundle-meta.json"), "utf8")) as Metafile,
  };
}

/** The bytes that each package takes up in the bundle; the Worker's own are under "src". */
export function bytesByPackage(metafile: Metafile): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      // The last one: a package within a package's folder is a package of its own.
      const inside = path.split("node_modules/").slice(1).at(-1);
      const [scope = "", name = ""] = inside?.split("/") ?? ["src"];
      const owner = scope.startsWith("@") ? `${scope}/${name}` : scope;
      if (bytesInOutput > 0) sizes.set(owner, (sizes.get(owner) ?? 0) + bytesInOutput);
    }
  }
  return sizes;
}

/** What is wrong with the packages of a bundle, in sentences. */
export function packageProblems(found: Iterable<string>, named: Iterable<string>): string[] {
  const [there, allowed] = [new Set(found), new Set(named)];
  there.delete("src");
  return [
    ...[...there]
      .filter((name) => !allowed.has(name))
      .map((name) => `The bundle holds ${name}, which is not meant to ship.`),
    ...[...allowed].filter((name) => !there.has(name)).map((name) => `The bundle does not hold ${name}: drop it.`),
  ];
}

/** The same of files that are to stay apart from the Worker, by their paths from the project's root. */
export function fileProblems(paths: Iterable<string>): string[] {
  return [...paths]
    .filter((path) => APART_FILES.includes(path) || APART.some((folder) => path.startsWith(folder)))
    .map((path) => `The bundle holds ${path}: let the Worker take only types from it.`);
}

/** The files that a bundle takes bytes from. */
function filesOf(metafile: Metafile): string[] {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
}

/** Packages that the registry knows a vulnerability of; null where it does not answer (offline, a mirror without them). */
function vulnerable(): string[] | null {
  // All packages are asked about: for npm those of the Worker are development packages, as nobody installs them with it.
  const { stdout } = spawnSync("npm", ["audit", "--json"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  try {
    const report = JSON.parse(stdout) as { vulnerabilities?: Record<string, unknown> };
    return report.vulnerabilities === undefined ? null : Object.keys(report.vulnerabilities);
  } catch {
    return null;
  }
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), "gateway-bundle-"));
  try {
    const { code, metafile } = bundle(folder);
    const sizes = bytesByPackage(metafile);
    const zipped = gzipSync(code).length;
    for (const [name, bytes] of [...sizes].toSorted(([, one], [, other]) => other - one)) {
      console.log(`${kib(bytes).padStart(10)}  ${name}`);
    }
    console.log(`The Worker's bundle: ${kib(code.length)}, compressed ${kib(zipped)} of at most ${kib(BUNDLE_BYTES)}.`);

    const problems = [...packageProblems(sizes.keys(), PACKAGES), ...fileProblems(filesOf(metafile))];
    if (zipped > BUNDLE_BYTES) problems.push("The bundle is too big: see BUNDLE_BYTES in src/limits.ts.");
    const known = vulnerable();
    const shipped = known?.filter((name) => sizes.has(name)) ?? [];
    if (known === null) console.log("The registry does not answer what vulnerabilities are known.");
    else if (shipped.length === 0) console.log("The registry knows of no vulnerability of what ships.");
    for (const name of shipped) problems.push(`The registry knows a vulnerability of ${name}, which ships: npm audit.`);
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) main();
