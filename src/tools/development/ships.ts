/**
 * `npm run ships`: checks what a deploy would upload. Fails if the bundle contains a package that is not a dependency in
 * package.json, lacks one that is, or contains a build-only file, if the registry knows a vulnerability of a shipped
 * package, or if it does not answer (unless AUDIT=optional). Prints the sizes.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** Files that only the build uses, and files from which the Worker imports only types: the contract, and answers' schemas. */
const BUILD_TIME = [
  /^src\/(?:pages|docs|sdk|tools|gateway\/http\/openapi|protocol\/schemas)\//u,
  /^src\/gateway\/http\/(?:.*\/)?(?:examples|responses)\.ts$/u,
];

const root = join(import.meta.dirname, "../../..");

/** The used parts of esbuild's metafile. */
interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

function bundle(folder: string): { code: Buffer; metafile: Metafile } {
  const wrangler = join(root, "node_modules", "wrangler", "bin", "wrangler.js");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [wrangler, "deploy", "--dry-run", "--outdir", folder, "--metafile"],
    { cwd: root, encoding: "utf8", env: { ...process.env, WRANGLER_SEND_METRICS: "false", DOCS: "later" } },
  );
  if (status !== 0) throw new Error(`Could not bundle the Worker.\n${stdout}${stderr}`);
  return {
    code: readFileSync(join(folder, "index.js")),
    metafile: JSON.parse(readFileSync(join(folder, "bundle-meta.json"), "utf8")) as Metafile,
  };
}

/** "src" is the Worker's own code. */
export function bytesByPackage(metafile: Metafile): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      // The last match: a package inside another package's folder counts as its own package.
      const inside = path.split("node_modules/").slice(1).at(-1);
      const [scope = "", name = ""] = inside?.split("/") ?? ["src"];
      const owner = scope.startsWith("@") ? `${scope}/${name}` : scope;
      if (bytesInOutput > 0) sizes.set(owner, (sizes.get(owner) ?? 0) + bytesInOutput);
    }
  }
  return sizes;
}

export function packageProblems(found: Iterable<string>, named: Iterable<string>): string[] {
  const [there, allowed] = [new Set(found), new Set(named)];
  there.delete("src");
  return [
    ...[...there]
      .filter((name) => !allowed.has(name))
      .map(
        (name) => `The bundle contains ${name}, which must not ship. Remove the import, or add it to the dependencies.`,
      ),
    ...[...allowed]
      .filter((name) => !there.has(name))
      .map((name) => `The bundle does not contain ${name}. Remove it from the dependencies.`),
  ];
}

/** Paths are from the project's root. */
export function fileProblems(paths: Iterable<string>): string[] {
  return [...paths]
    .filter((path) => BUILD_TIME.some((pattern) => pattern.test(path)))
    .map((path) => `The bundle contains ${path}. Import only types from it.`);
}

function dependencies(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: object };
  return Object.keys(manifest.dependencies);
}

function listFiles(metafile: Metafile): string[] {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
}

/** Null if the registry does not answer (offline, or a mirror). */
function vulnerable(): string[] | null {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
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

/**
 * Unknown is not none: without an answer, nobody knows whether what ships is safe. Some mirrors of the registry never answer:
 * there, AUDIT=optional lets the other checks pass.
 */
export function vulnerabilityProblems(known: readonly string[] | null, audit: string | undefined): string[] {
  if (known === null) {
    return audit === "optional"
      ? []
      : ["The registry does not answer npm audit, so vulnerabilities are not known. Run this again where it does."];
  }
  return known.map((name) => `The shipped package ${name} has a known vulnerability. Run npm audit.`);
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), "gateway-bundle-"));
  try {
    const { code, metafile } = bundle(folder);
    const sizes = bytesByPackage(metafile);
    for (const [name, bytes] of [...sizes].toSorted(([, one], [, other]) => other - one)) {
      console.log(`${kib(bytes).padStart(10)}  ${name}`);
    }
    console.log(`The Worker's bundle: ${kib(code.length)}, compressed ${kib(gzipSync(code).length)}.`);

    const problems = [...packageProblems(sizes.keys(), dependencies()), ...fileProblems(listFiles(metafile))];
    const known = vulnerable();
    problems.push(...vulnerabilityProblems(known, process.env["AUDIT"]));
    if (known?.length === 0) console.log("No known vulnerabilities in the shipped packages.");
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) main();
