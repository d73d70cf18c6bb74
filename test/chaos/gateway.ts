/** The built Worker in a workerd of its own, to be killed, stopped and started again on the same data and port. */
import { appendFileSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "../support/free-port.ts";
import { LocalWorker } from "../support/local-worker.ts";
import { ROOT, until } from "./journal.ts";

/** The shortest life of a request that the gateway allows: what stays open becomes a `22` within it. */
const REQUEST_SECONDS = "40";

/** Milliseconds. After them, a gateway that does not answer is started anew, as a supervisor does. */
const UP_WITHIN = 30_000;

export class Gateway {
  readonly port: number;
  readonly dataFolder: string;
  /** Every line that the Worker logs. */
  readonly logPath: string;
  /** Its secrets, from its next start on. */
  variables: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #project: string;
  #worker: LocalWorker | null = null;

  private constructor(folder: string, project: string, port: number, variables: Gateway["variables"]) {
    this.port = port;
    this.dataFolder = join(folder, "data");
    this.logPath = join(folder, "gateway.log");
    this.variables = variables;
    this.#folder = folder;
    this.#project = project;
  }

  /** @param project this one, or a copy of it with a fault */
  static async start(folder: string, variables: Gateway["variables"], project: string = ROOT): Promise<Gateway> {
    await mkdir(folder, { recursive: true });
    const gateway = new Gateway(folder, project, await freePort(), variables);
    await gateway.restart();
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async restart(): Promise<void> {
    this.#worker = await LocalWorker.start({
      project: this.#project,
      folder: this.#folder,
      port: this.port,
      variables: { REQUEST_SECONDS, ...this.variables },
      onLog: (line) => appendFileSync(this.logPath, `${line}\n`),
    });
  }

  async isUp(): Promise<boolean> {
    const answer = fetch(`${this.url}/healthz`, { signal: AbortSignal.timeout(2_000) });
    return answer.then(({ status }) => status === 200).catch(() => false);
  }

  /** Starts it anew if it does not answer. */
  async revive(): Promise<void> {
    await until("the gateway answers", UP_WITHIN, () => this.isUp()).catch(async () => {
      await this.kill();
      await this.restart();
    });
  }

  /** As a power cut: nothing that it is doing is finished. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#worker?.stop();
    this.#worker = null;
  }

  /** Ends it in an orderly way. */
  async end(): Promise<void> {
    this.signal("SIGTERM");
    await until("the gateway ends", 5_000, () => !this.signal(0)).catch(() => undefined);
    await this.kill();
  }

  /** False: the process has ended. */
  signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#worker !== null && process.kill(this.#worker.pid, signal);
    } catch {
      return false;
    }
  }

  /** D1 answers nobody: somebody else holds the lock of its file. Returns what releases it. */
  async lockDatabase(): Promise<() => void> {
    const files = await readdir(this.dataFolder, { recursive: true });
    const name = files.find((file) => /D1DatabaseObject\/(?!metadata)[^/]+\.sqlite$/u.test(file));
    const database = new DatabaseSync(join(this.dataFolder, name ?? "no database"));
    // The gateway's own writes may hold the lock. SQLite would wait for everybody in this process.
    await until("the database is free", 10_000, async () => {
      try {
        database.exec("BEGIN EXCLUSIVE");
        return true;
      } catch {
        return false;
      }
    });
    return () => {
      database.exec("ROLLBACK");
      database.close();
    };
  }
}
