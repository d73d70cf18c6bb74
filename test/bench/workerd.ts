/**
 * A Worker in a workerd of its own: its socket is the Worker's, with none of the development tools' proxies in between.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

/** How long a process may take to listen or to end, in milliseconds. */
const PATIENCE = 20_000;

export interface WorkerOptions {
  /** The Worker's entry, relative to the project. */
  entry: string;
  /** The class of the terminals' objects. */
  terminalClass: string;
  /** A folder of its own, for the built Worker and its storage. */
  folder: string;
  /** The Worker's port, and that of its database; both on the loopback. */
  port: number;
  databasePort: number;
  /** Texts of its environment. */
  variables: Record<string, string>;
  /** Of the engine (`node --v8-options` lists them). */
  v8Flags?: string[];
}

export interface RunningProcess {
  pid: number;
  stop(): Promise<void>;
}

/** Builds the Worker as a deploy would, and starts it. */
export async function startWorker(options: WorkerOptions): Promise<RunningProcess> {
  const { folder, port, databasePort } = options;
  await mkdir(join(folder, "storage"), { recursive: true });
  const settings = await settingsOf(join(ROOT, "wrangler.toml"));
  await Promise.all([
    build(options.entry, join(folder, "worker"), settings),
    build("test/bench/workers/database.ts", join(folder, "database"), settings),
  ]);
  const config = join(folder, "workerd.capnp");
  await writeFile(config, configuration(options, settings));
  const workerd = (require("workerd") as { default: string }).default;
  const running = start(workerd, ["serve", "--experimental", config], folder);
  await Promise.all([listening(running, port), listening(running, databasePort)]);
  return running;
}

/** Starts a process whose output nobody reads; errors are shown. */
export function start(command: string, words: string[], folder: string): RunningProcess & { ended: Promise<unknown> } {
  // The Worker's log lines are written, as anywhere, but to nowhere.
  const child: ChildProcess = spawn(command, words, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  if (child.pid === undefined) throw new Error(`${command} did not start`);
  // Whatever ends the bench ends what it started.
  const orphaned = (): boolean => child.kill("SIGKILL");
  process.once("exit", orphaned);
  void ended.then(() => process.off("exit", orphaned));
  return {
    pid: child.pid,
    ended,
    async stop() {
      const force = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
      child.kill();
      await ended;
      clearTimeout(force);
    },
  };
}

/** Waits until somebody listens at the port. */
export async function listening(running: { ended: Promise<unknown> }, port: number): Promise<void> {
  const until = Date.now() + PATIENCE;
  let over = false;
  void running.ended.then(() => (over = true));
  for (;;) {
    try {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      socket.destroy();
      return;
    } catch (error) {
      if (over || Date.now() > until) throw new Error(`nothing listens on port ${port}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** What the bench takes from the project's own configuration. */
interface Settings {
  date: string;
  flags: string[];
  keepNames: boolean;
  /** The names of the rate limits' bindings. */
  rateLimits: string[];
}

async function settingsOf(path: string): Promise<Settings> {
  const text = await readFile(path, "utf8");
  const date = /^compatibility_date = "([^"]+)"$/mu.exec(text)?.[1];
  const flags = /^compatibility_flags = \[([^\]]*)\]$/mu.exec(text)?.[1];
  if (date === undefined || flags === undefined) throw new Error(`${path} names no compatibility date and flags`);
  const keepNames = /^keep_names = (true|false)$/mu.exec(text)?.[1] !== "false";
  const rateLimits = text.matchAll(/^\[\[ratelimits\]\]\nname = "([^"]+)"$/gmu);
  return {
    date,
    flags: [...flags.matchAll(/"([^"]+)"/gu)].map(([, flag = ""]) => flag),
    keepNames,
    rateLimits: [...rateLimits].map(([, name = ""]) => name),
  };
}

async function build(entry: string, folder: string, settings: Settings): Promise<void> {
  await mkdir(folder, { recursive: true });
  const config = join(folder, "wrangler.json");
  const project = {
    name: "bench",
    main: join(ROOT, entry),
    compatibility_date: settings.date,
    compatibility_flags: settings.flags,
    keep_names: settings.keepNames,
    send_metrics: false,
  };
  await writeFile(config, JSON.stringify(project));
  const wrangler = join(dirname(require.resolve("wrangler/package.json")), "bin", "wrangler.js");
  const words = [wrangler, "deploy", "--dry-run", "--config", config, "--outdir", folder];
  const { WRANGLER_SEND_METRICS = "false" } = process.env;
  await promisify(execFile)(process.execPath, words, { cwd: ROOT, env: { ...process.env, WRANGLER_SEND_METRICS } });
}

/** D1 speaks to a Worker of the bench; a rate limit counts nothing, as its cost lies outside of the Worker. */
function configuration(options: WorkerOptions, { date, flags, rateLimits }: Settings): string {
  const { entry, terminalClass, folder, port, databasePort, variables, v8Flags = [] } = options;
  const built = (folderName: string, source: string): string =>
    `modules = [(name = "worker", esModule = embed ${quote(`${folderName}/${moduleOf(source)}`)})]`;
  const compatibility =
    `compatibilityDate = ${quote(date)}, compatibilityFlags = [${flags.map(quote).join(", ")}], ` +
    `globalOutbound = "nowhere"`;
  const limits = rateLimits.map((name) => `(name = ${quote(name)}, wrapped = (moduleName = "bench:rate-limit"))`);
  const texts = Object.entries(variables).map(([name, text]) => `(name = ${quote(name)}, text = ${quote(text)})`);
  const storage = `durableObjectStorage = (localDisk = "storage")`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = [${v8Flags.map(quote).join(", ")}],
  services = [
    (name = "worker", worker = (
      ${built("worker", entry)},
      ${compatibility},
      bindings = [
        (name = "DATABASE", wrapped = (
          moduleName = "cloudflare-internal:d1-api",
          innerBindings = [(name = "fetcher", service = "database")],
        )),
        (name = "TERMINAL", durableObjectNamespace = ${quote(terminalClass)}),
        ${[...limits, ...texts].join(",\n        ")},
      ],
      durableObjectNamespaces = [(className = ${quote(terminalClass)}, uniqueKey = "terminals", enableSql = true)],
      ${storage},
    )),
    (name = "database", worker = (
      ${built("database", "database.ts")},
      ${compatibility},
      bindings = [(name = "DATABASE", durableObjectNamespace = "Database")],
      durableObjectNamespaces = [(className = "Database", uniqueKey = "databases", enableSql = true)],
      ${storage},
    )),
    (name = "storage", disk = (path = ${quote(join(folder, "storage"))}, writable = true)),
    (name = "nowhere", network = (allow = [])),
  ],
  sockets = [
    (name = "worker", address = "127.0.0.1:${port}", http = (), service = "worker"),
    (name = "database", address = "127.0.0.1:${databasePort}", http = (), service = "database"),
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

/** Cap'n Proto's texts are quoted as JSON's are, where they are plain. */
function quote(text: string): string {
  return JSON.stringify(text);
}
