/**
 * A built Worker in workerd on this machine, without the proxies of `wrangler dev`: for measuring, and for killing. See
 * https://developers.cloudflare.com/workers/testing/miniflare/
 */
import { mkdir, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4MiniflareOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as workerOptions, unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { failureText, wranglerIn } from "../../src/tools/development/wrangler.ts";

// Else wrangler warns of secrets that are not in a file.
process.env["WRANGLER_LOG"] ??= "error";

/** What every gateway's entry is called, also that of an older checkout. */
const OWN = "index.ts";

export interface LocalWorkerPlan {
  /** The checkout whose wrangler.toml and migrations describe the Worker. */
  project: string;
  /** For the built code and all data: what is started again in the same folder has the same data. */
  folder: string;
  variables: Record<string, string>;
  /** Relative to the project. Without it, the project's own Worker, which has a database. */
  entry?: string;
  /** The port, by default a free one. */
  port?: number;
  /** Gets each line that the Worker logs. */
  onLog?: (line: string) => void;
}

export class LocalWorker {
  readonly url: string;
  readonly #miniflare: Miniflare;
  readonly #pid: number | null;

  private constructor(url: string, miniflare: Miniflare, pid: number | null) {
    this.url = url;
    this.#miniflare = miniflare;
    this.#pid = pid;
  }

  /** Builds the Worker as a deploy does, unless the folder has it already, and starts it on a free port of the loopback. */
  static async start(plan: LocalWorkerPlan): Promise<LocalWorker> {
    const { project, folder, variables, entry, port = 0, onLog } = plan;
    const code = join(folder, "code");
    const isNew = (await mkdir(code, { recursive: true })) !== undefined;
    if (isNew) await build(project, entry, code);
    const { workerOptions: own } = workerOptions(join(project, "wrangler.toml"));
    const { compatibilityDate, compatibilityFlags, d1Databases, durableObjects, ratelimits = {}, bindings } = own;
    const options = {
      name: "worker",
      compatibilityDate,
      compatibilityFlags,
      d1Databases,
      durableObjects,
      ratelimits: Object.fromEntries(
        Object.entries(ratelimits as Record<string, object>).map(([name, limit]) => [name, unlimited(limit)]),
      ),
      bindings: { ...(bindings as object), ...variables },
      modules: true,
      script: await readFile(join(code, `${basename(entry ?? OWN, ".ts")}.js`), "utf8"),
      host: "127.0.0.1",
      // The Worker's own socket: Miniflare's is a Worker of its own in front, which negotiates compression for itself.
      unsafeDirectSockets: [{ host: "127.0.0.1", port }],
      resourcePersistencePath: join(folder, "data"),
      handleStructuredLogs: ({ message }: { message: string }) => onLog?.(message),
    };
    const before = await childProcesses();
    // wrangler describes Workers as Miniflare 4 did.
    const miniflare = new Miniflare(convertV4MiniflareOptions(options as V4MiniflareOptions));
    const { origin } = await miniflare.unsafeGetDirectURL();
    const [pid = null] = (await childProcesses()).filter((child) => !before.includes(child));
    if (isNew && entry === undefined) await migrate(miniflare, join(project, "migrations"));
    return new LocalWorker(origin, miniflare, pid);
  }

  /** User and system time that workerd has used, in seconds (proc(5), /proc/PID/stat); NaN where the system does not say. */
  async cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#pid}/stat`, "utf8").catch(() => "");
    // The name, in parentheses, may contain anything. Linux counts in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** The process of workerd. Throws where the system does not say which one it is. */
  get pid(): number {
    if (this.#pid === null) throw new Error("This system does not say which process is workerd.");
    return this.#pid;
  }

  /** Ends it as a power cut does: nothing that it is doing is finished. */
  async kill(): Promise<void> {
    process.kill(this.pid, "SIGKILL");
    await this.stop();
  }

  stop(): Promise<void> {
    return this.#miniflare.dispose();
  }
}

function unlimited(limit: object): object {
  return { ...limit, simple: { limit: 1e9, period: 60 } };
}

async function build(project: string, entry: string | undefined, outdir: string): Promise<void> {
  const entries = entry === undefined ? [] : [entry];
  const ran = await wranglerIn(project)(["deploy", ...entries, "--dry-run", "--outdir", outdir]);
  if (ran.status !== 0) throw new Error(failureText(`${entry ?? project} could not be built`, ran));
}

async function migrate(miniflare: Miniflare, folder: string): Promise<void> {
  const database = await miniflare.getD1Database("DATABASE");
  for (const name of (await readdir(folder)).toSorted()) {
    const statements = splitSqlQuery(await readFile(join(folder, name), "utf8"));
    await database.batch(statements.map((statement) => database.prepare(statement)));
  }
}

/** The processes that this one has started; none where the system does not say. */
async function childProcesses(): Promise<number[]> {
  const text = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}
