/**
 * A Worker in a workerd of its own: its socket is the Worker's, with none of the development tools' proxies in between.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import type { Unstable_Config } from "wrangler";
import { failed, wranglerIn } from "../../src/development/wrangler.ts";
import { CONTROL, type RunningProcess, start } from "./process.ts";

export const ROOT = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

/** The names of a process's sockets: the Worker's, that of its database, and that of the Worker's other isolate. */
export const WORKER = "worker";
export const DATABASE = "database";
export const OTHER_ISOLATE = "other-isolate";

export interface WorkerOptions {
  /** The Worker's entry, relative to the project. */
  entry: string;
  /** The classes of its objects, by their binding. */
  objects: Record<string, string>;
  /** A folder for this Worker only: the built code and its storage. */
  folder: string;
  variables: Record<string, string>;
  /** Where `fetch` may lead: nowhere, unless the machine itself is named. */
  reaches?: "local";
  /** Whether a second isolate has the same Worker, with a socket of its own. It calls the objects of the first. */
  otherIsolate?: boolean;
}

/** Builds the Worker as a deploy would, and starts it. */
export async function startWorker(options: WorkerOptions): Promise<RunningProcess> {
  const { folder } = options;
  await mkdir(join(folder, "storage"), { recursive: true });
  // Loading it takes a second of CPU.
  const { unstable_readConfig: readConfig } = await import("wrangler");
  const settings = readConfig({ config: join(ROOT, "wrangler.toml") }, { hideWarnings: true });
  await Promise.all([
    build(options.entry, join(folder, "worker"), settings),
    buildPlain("test/bench/workers/database.ts", join(folder, "database")),
  ]);
  const config = join(folder, "workerd.capnp");
  await writeFile(config, configuration(options, settings));
  return serveWorker(options);
}

/** Starts a Worker that was built in this folder before, on the same storage. */
export function serveWorker({
  folder,
  otherIsolate = false,
}: Pick<WorkerOptions, "folder" | "otherIsolate">): Promise<RunningProcess> {
  const config = join(folder, "workerd.capnp");
  const workerd = (require("workerd") as { default: string }).default;
  const words = [workerd, "serve", "--experimental", `--control-fd=${CONTROL}`, config];
  return start(words, folder, [WORKER, DATABASE, ...(otherIsolate ? [OTHER_ISOLATE] : [])]);
}

/** Whether a file is the database of one object, which bears its id; others belong to all objects of a binding. */
export function isObject(path: string): boolean {
  return /\/[0-9a-f]{64}\.sqlite$/u.test(path);
}

/** What has been built, by its entry: a run starts the same Worker many times, and a build takes seconds of CPU. */
const modules = new Map<string, Promise<Buffer>>();

async function build(entry: string, folder: string, settings: Unstable_Config): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, moduleOf(entry));
  const known = modules.get(entry);
  if (known !== undefined) return writeFile(path, await known);
  const built = buildWithWrangler(entry, folder, settings).then(() => readFile(path));
  modules.set(entry, built);
  await built;
}

async function buildWithWrangler(entry: string, folder: string, settings: Unstable_Config): Promise<void> {
  const config = join(folder, "wrangler.json");
  const { compatibility_date, compatibility_flags, minify, keep_names } = settings;
  const kept = { compatibility_date, compatibility_flags, minify, keep_names };
  await writeFile(config, JSON.stringify({ name: "bench", main: join(ROOT, entry), ...kept }));
  const ran = await wranglerIn(ROOT)(["deploy", "--dry-run", "--config", config, "--outdir", folder]);
  if (ran.status !== 0) throw new Error(failed(`${entry} could not be built`, ran));
}

/** Builds a Worker that is only the bench's own: without what a deploy checks and adds, which takes seconds. */
async function buildPlain(entry: string, folder: string): Promise<void> {
  await esbuild({
    bundle: true,
    format: "esm",
    target: "es2024",
    entryPoints: [join(ROOT, entry)],
    outdir: folder,
    external: ["cloudflare:*", "node:*"],
    logLevel: "error",
  });
}

/**
 * D1 speaks to a Worker of the bench; a rate limit counts nothing, as its cost lies outside of the Worker. Its paths are
 * relative, so that a copy of the folder is another Worker.
 */
function configuration(options: WorkerOptions, settings: Unstable_Config): string {
  const { entry, objects, variables, reaches, otherIsolate = false } = options;
  const built = (folderName: string, source: string): string =>
    `modules = [(name = "worker", esModule = embed ${quote(`${folderName}/${moduleOf(source)}`)})]`;
  const compatibility =
    `compatibilityDate = ${quote(settings.compatibility_date ?? "")}, ` +
    `compatibilityFlags = [${settings.compatibility_flags.map(quote).join(", ")}], globalOutbound = "outside"`;
  const limits = settings.ratelimits.map(
    ({ name }) => `(name = ${quote(name)}, wrapped = (moduleName = "bench:rate-limit"))`,
  );
  const named = Object.entries(objects);
  const classes = named.map(
    ([name, className]) => `(className = ${quote(className)}, uniqueKey = ${quote(name)}, enableSql = true)`,
  );
  const texts = Object.entries(variables).map(([name, text]) => `(name = ${quote(name)}, text = ${quote(text)})`);
  const storage = `durableObjectStorage = (localDisk = "storage")`;
  const bindings = (namespaceOf: (className: string) => string): string => {
    const namespaces = named.map(
      ([name, className]) => `(name = ${quote(name)}, durableObjectNamespace = ${namespaceOf(quote(className))})`,
    );
    return `bindings = [
        (name = "DATABASE", wrapped = (
          moduleName = "cloudflare-internal:d1-api",
          innerBindings = [(name = "fetcher", service = "database")],
        )),
        ${[...namespaces, ...limits, ...texts].join(",\n        ")},
      ]`;
  };
  const other = `(name = ${quote(OTHER_ISOLATE)}, worker = (
      ${built("worker", entry)},
      ${compatibility},
      ${bindings((className) => `(className = ${className}, serviceName = "worker")`)},
    )),`;
  const otherSocket = `(name = ${quote(OTHER_ISOLATE)}, address = "127.0.0.1:0", http = (), service = ${quote(OTHER_ISOLATE)}),`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      ${built("worker", entry)},
      ${compatibility},
      ${bindings((className) => className)},
      durableObjectNamespaces = [${classes.join(", ")}],
      ${storage},
    )),
    (name = "database", worker = (
      ${built("database", "database.ts")},
      ${compatibility},
      bindings = [(name = "DATABASE", durableObjectNamespace = "Database")],
      durableObjectNamespaces = [(className = "Database", uniqueKey = "databases", enableSql = true)],
      ${storage},
    )),
    ${otherIsolate ? other : ""}
    (name = "storage", disk = (path = "storage", writable = true)),
    (name = "outside", network = (allow = [${reaches === undefined ? "" : quote(reaches)}])),
  ],
  sockets = [
    (name = ${quote(WORKER)}, address = "127.0.0.1:0", http = (), service = "worker"),
    (name = ${quote(DATABASE)}, address = "127.0.0.1:0", http = (), service = "database"),
    ${otherIsolate ? otherSocket : ""}
  ],
  extensions = [(modules = [(
    name = "bench:rate-limit",
    internal = true,
    esModule = "export default () => ({ limit: async () => ({ success: true }) });",
  )])],
);
`;
}

/** wrangler names what it builds after the entry. */
function moduleOf(entry: string): string {
  return `${entry.slice(entry.lastIndexOf("/") + 1).replace(/\.ts$/u, "")}.js`;
}

/** Cap'n Proto's texts are quoted as JSON's are, if they are plain. */
function quote(text: string): string {
  return JSON.stringify(text);
}
