/** What is measured, and what both subjects of the bench have in common. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { inParallel } from "../../../src/bounds/parallel.ts";
import { Caller } from "../http.ts";
import type { Pair, Terminal } from "../parties.ts";
import type { RunningProcess } from "../process.ts";
import { DATABASE, OTHER_ISOLATE, serveWorker, startWorker, WORKER, type WorkerOptions } from "../workerd.ts";

/** `account baseline`: the least that must happen where an account is an object. */
export type Name = "gateway" | "account baseline";

export interface Enrolled {
  pair: Pair;
  terminal: Terminal;
}

/** Terminals of one account, by default. */
export const PER_ACCOUNT = 50;

/** How its workerd runs, beside what all of them have in common. */
type Extra = Pick<WorkerOptions, "otherIsolate">;

/** What runs in workerd, and how its accounts and terminals are made. */
export interface Kind {
  name: Name;
  worker: Pick<WorkerOptions, "entry" | "objects" | "variables">;
  /** Before anything else, with empty databases. */
  prepare?: (query: Query) => Promise<void>;
  enrol(subject: Subject, count: number, perAccount: number): Promise<Pair[]>;
  connect(subject: Subject, pair: Pair): Promise<Terminal>;
  /** A token of the pair's account that names its bound terminals, if the kind has such tokens. */
  login?: (subject: Subject, pair: Pair) => Promise<string>;
}

/** Runs statements on D1, past the Worker. */
export type Query = (sql: string, params?: unknown[]) => Promise<void>;

export function queryAt({ port }: RunningProcess): Query {
  return async (sql, params = []) => {
    const caller = new Caller(`http://127.0.0.1:${port(DATABASE)}`);
    await caller.call("POST", "/query", { body: { sql, params } });
    caller.close();
  };
}

export class Subject {
  readonly name: Name;
  readonly pid: number;
  readonly url: string;
  readonly caller: Caller;
  readonly #kind: Kind;
  readonly #options: WorkerOptions;
  readonly #running: RunningProcess;

  private constructor(kind: Kind, options: WorkerOptions, running: RunningProcess) {
    this.name = kind.name;
    this.pid = running.pid;
    this.url = urlOf(running, WORKER);
    this.caller = new Caller(this.url);
    this.#kind = kind;
    this.#options = options;
    this.#running = running;
  }

  static async start(kind: Kind, folder: string, extra: Extra = {}): Promise<Subject> {
    const options = { ...kind.worker, folder, ...extra };
    const running = await startWorker(options);
    await kind.prepare?.(queryAt(running));
    return new Subject(kind, options, running);
  }

  /** Makes further tills and terminals; `perAccount` of them belong to an account. */
  enrol(count: number, perAccount = PER_ACCOUNT): Promise<Pair[]> {
    return this.#kind.enrol(this, count, perAccount);
  }

  /** Connects them, and logs each account in once when they are bound. */
  async connect(pairs: readonly Pair[]): Promise<Enrolled[]> {
    const enrolled = await eightAtOnce(pairs, async (pair) => ({
      pair,
      terminal: await this.#kind.connect(this, pair),
    }));
    const { login } = this.#kind;
    if (login === undefined) return enrolled;
    const first = new Map(pairs.map((pair) => [pair.posId, pair]));
    const tokens = new Map(
      await eightAtOnce([...first], async ([posId, pair]) => [posId, await login(this, pair)] as const),
    );
    return enrolled.map(({ pair, terminal }) => {
      return { pair: { ...pair, accessToken: tokens.get(pair.posId) ?? pair.accessToken }, terminal };
    });
  }

  databases(binding: "ACCOUNT" | "TERMINAL"): string {
    return join(this.#options.folder, "storage", binding);
  }

  /** A caller of the isolate that has answered nothing yet. */
  otherIsolate(): Caller {
    return new Caller(urlOf(this.#running, OTHER_ISOLATE));
  }

  /** Copies what was built, and all data, and starts the same there. It has to be stopped before. */
  async copyTo(folder: string): Promise<() => Promise<Subject>> {
    const options = { ...this.#options, folder };
    await cp(this.#options.folder, folder, { recursive: true });
    return async () => new Subject(this.#kind, options, await serveWorker(options));
  }

  async stop(): Promise<void> {
    this.caller.close();
    await this.#running.stop();
  }
}

function urlOf({ port }: RunningProcess, socket: string): string {
  return `http://127.0.0.1:${port(socket)}`;
}

/** Does the work for all items, eight at a time; results in the items' order. */
function eightAtOnce<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  return inParallel(items, 8, work);
}
