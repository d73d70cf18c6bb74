/** What is measured, and what all subjects of the bench have in common. */
import { cp } from "node:fs/promises";
import { inParallel } from "../../../src/bounds/parallel.ts";
import { Caller } from "../http.ts";
import { type Pair, Terminal } from "../parties.ts";
import type { RunningProcess } from "../process.ts";
import {
  DATABASE,
  databasesOf,
  OTHER_ISOLATE,
  serveWorker,
  startWorker,
  WORKER,
  type WorkerOptions,
} from "../workerd.ts";

/**
 * `D1 baseline`: the least that must happen if an account is rows of D1. `account baseline`: the least if an account is an
 * object, as the gateway has it.
 */
export type Name = "gateway" | "D1 baseline" | "account baseline" | "plain Node";

export interface Subject {
  readonly name: Name;
  readonly pid: number;
  readonly caller: Caller;
  /** Makes further tills and terminals; `perAccount` of them belong to an account, 50 by default. */
  enrol(count: number, perAccount?: number): Promise<Pair[]>;
  connect(pairs: readonly Pair[]): Promise<Enrolled[]>;
  stop(): Promise<void>;
}

export interface Enrolled {
  pair: Pair;
  terminal: Terminal;
}

/** An account, and what its till calls with. */
export type Till = Pick<Pair, "posId" | "accessToken">;

/** Terminals of one account, by default. */
export const PER_ACCOUNT = 50;

/** How its workerd runs, beside what all of them have in common. */
export type Extra = Pick<WorkerOptions, "v8Flags" | "reaches" | "otherIsolate">;

/** The bindings of the objects that are looked at from outside. */
export type ObjectBinding = "ACCOUNT" | "TERMINAL";

/** What runs in workerd, and how its accounts and terminals are made. */
export interface Kind {
  name: Name;
  worker: Pick<WorkerOptions, "entry" | "objects" | "variables">;
  /** Before anything else, with empty databases. */
  prepare?: (query: Query) => Promise<void>;
  enrol(subject: WorkerSubject, count: number, perAccount: number): Promise<Pair[]>;
  connect(subject: WorkerSubject, pair: Pair): Promise<Terminal>;
  /** A token of the pair's account that names its bound terminals, if the kind has such tokens. */
  login?: (subject: WorkerSubject, pair: Pair) => Promise<string>;
}

/** A kind whose accounts are objects. */
export interface AccountKind extends Kind {
  /** New accounts without terminals. */
  tills(subject: WorkerSubject, count: number): Promise<Till[]>;
  /** A call that an account's object answers without writing. */
  wake(subject: WorkerSubject, till: Till): Promise<unknown>;
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

export class WorkerSubject implements Subject {
  readonly #kind: Kind;
  readonly #options: WorkerOptions;
  #running: RunningProcess;
  #caller: Caller;

  private constructor(kind: Kind, options: WorkerOptions, running: RunningProcess) {
    this.#kind = kind;
    this.#options = options;
    this.#running = running;
    this.#caller = new Caller(this.url);
  }

  static async start(kind: Kind, folder: string, extra: Extra = {}): Promise<WorkerSubject> {
    const options = { ...kind.worker, folder, ...extra };
    const subject = new WorkerSubject(kind, options, await startWorker(options));
    await kind.prepare?.(subject.query);
    return subject;
  }

  get name(): Name {
    return this.#kind.name;
  }

  get pid(): number {
    return this.#running.pid;
  }

  get caller(): Caller {
    return this.#caller;
  }

  /** Where the Worker is called. Another one after each start. */
  get url(): string {
    return this.#urlOf(WORKER);
  }

  get query(): Query {
    return queryAt(this.#running);
  }

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

  /** The folder with the databases of a binding's objects. */
  databases(binding: ObjectBinding): string {
    return databasesOf(this.#options, binding);
  }

  /** A caller of the isolate that has answered nothing yet. */
  otherIsolate(): Caller {
    return new Caller(this.#urlOf(OTHER_ISOLATE));
  }

  /** Copies what was built, and all data, and starts the same there. It has to be stopped before. */
  async copyTo(folder: string): Promise<() => Promise<WorkerSubject>> {
    const options = { ...this.#options, folder };
    await cp(this.#options.folder, folder, { recursive: true });
    return async () => new WorkerSubject(this.#kind, options, await serveWorker(options));
  }

  /** Stops it, and after `meanwhile` starts it on the same data. Its terminals have to be closed before. */
  async restart(meanwhile?: () => Promise<void>): Promise<void> {
    await this.stop();
    await meanwhile?.();
    this.#running = await serveWorker(this.#options);
    this.#caller = new Caller(this.url);
  }

  async stop(): Promise<void> {
    this.#caller.close();
    await this.#running.stop();
  }

  #urlOf(socket: string): string {
    return `http://127.0.0.1:${this.#running.port(socket)}`;
  }
}

/** Does the work for all items, eight at a time; results in the items' order. */
export function eightAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return inParallel(items, 8, work);
}

/** Connects a terminal without a login, for subjects that need none. */
export function connectByName(url: string, { terminalId, secret }: Pair): Promise<Terminal> {
  return Terminal.connect(`${url}/terminal/connect?terminal=${terminalId}`, secret, "none");
}
