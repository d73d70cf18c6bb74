/**
 * A Worker in a workerd of its own: its socket is the Worker's, with none of the development tools' proxies in between.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build as esbuild } from "esbuild";
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
  const settings = await settingsOf(join(ROOT, "wrangler.toml"));
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

/** The folder that holds the databases of a binding's objects. */
export function databasesOf({ folder }: Pick<WorkerOptions, "folder">, binding: string): string {
  return join(folder, "storage", binding);
}

/** Whether a file is the database of one object, which bears its id; others belong to all objects of a binding. */
export function isObject(path: string): boolean {
  return /\/[0-9a-f]{64}\.sqlite$/u.test(path);
}

interface Settings {
  date: string;
  flags: string[];
  minify: boolean;
  keepNames: boolean;
  /** The names of the rate limits' bindings. */
  rateLimits: string[];
}

async function settingsOf(path: string): Promise<Settings> {
  const text = await readFile(path, "utf8");
  const date = /^compatibility_date = "([^"]+)"$/mu.exec(text)?.[1];
  const flags = /^compatibility_flags = \[([^\]]*)\]$/mu.exec(text)?.[1];
  if (date === undefined || flags === undefined) throw new Error(`${path} names no compatibility date and flags`);
  const minify = /^minify = (true|false)$/mu.exec(text)?.[1] === "true";
  const keepNames = /^keep_names = (true|false)$/mu.exec(text)?.[1] !== "false";
  const rateLimits = text.matchAll(/^\[\[ratelimits\]\]\nname = "([^"]+)"$/gmu);
  return {
    date,
    flags: [...flags.matchAll(/"([^"]+)"/gu)].map(([, flag = ""]) => flag),
    minify,
    keepNames,
    rateLimits: [...rateLimits].map(([, name = ""]) => name),
  };
}

/** What has been built, by its entry: a run starts the same Worker many times, and a build takes seconds of CPU. */
const modules = new Map<string, Promise<Buffer>>();

async function build(entry: string, folder: string, settings: Settings): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, moduleOf(entry));
  const known = modules.get(entry);
  if (known !== undefined) return writeFile(path, await known);
  const built = buildWithWrangler(entry, folder, settings).then(() => readFile(path));
  modules.set(entry, built);
  await built;
}

async function buildWithWrangler(entry: string, folder: string, settings: Settings): Promise<void> {
  const config = join(folder, "wrangler.json");
  const project = {
    name: "bench",
    main: join(ROOT, entry),
    compatibility_date: settings.date,
    compatibility_flags: settings.flags,
    minify: settings.minify,
    keep_names: settings.keepNames,
    send_metrics: false,
  };
  await writeFile(config, JSON.stringify(project));
  const wrangler = join(dirname(require.resolve("wrangler/package.json")), "bin", "wrangler.js");
  const words = [wrangler, "deploy", "--dry-run", "--config", config, "--outdir", folder];
  const { WRANGLER_SEND_METRICS = "false" } = process.env;
  await promisify(execFile)(process.execPath, words, { cwd: ROOT, env: { ...process.env, WRANGLER_SEND_METRICS } });
}

/** Builds a Worker that is only the bench's own: without what a deploy checks and adds, which takes seconds. */
async function buildPlain(entry: string, folder: string): Promise<void> {
  const external = ["cloudflare:*", "node:*"];
  const options = {
    bundle: true,
    format: "esm",
    target: "es2024",
    outdir: folder,
    external,
    logLevel: "error",
  } as const;
  await esbuild({ ...options, entryPoints: [join(ROOT, entry)] });
}

/**
 * D1 speaks to a Worker of the bench; a rate limit counts nothing, as its cost lies outside of the Worker. Its paths are
 * relative, so that a copy of the folder is another Worker.
 */
function configuration(options: WorkerOptions, { date, flags, rateLimits }: Settings): string {
  const { entry, objects, variables, reaches, otherIsolate = false } = options;
  const built = (folderName: string, source: string): string =>
    `modules = [(name = "worker", esModule = embed ${quote(`${folderName}/${moduleOf(source)}`)})]`;
  const compatibility =
    `compatibilityDate = ${quote(date)}, compatibilityFlags = [${flags.map(quote).join(", ")}], ` +
    `globalOutbound = "outside"`;
  const limits = rateLimits.map((name) => `(name = ${quote(name)}, wrapped = (moduleName = "bench:rate-limit"))`);
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
