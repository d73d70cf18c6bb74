/** What is measured, and what all subjects of the bench have in common. */
import { cp } from "node:fs/promises";
import { inParallel } from "../../../src/bounds/parallel.ts";
import { Caller } from "../http.ts";
import { type Pair, Terminal } from "../parties.ts";
import type { RunningProcess } from "../process.ts";
import { DATABASE, databasesOf, OTHER_ISOLATE, serveWorker, WORKER, type WorkerOptions } from "../workerd.ts";

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

/** Whose accounts are objects. */
export interface HasAccounts {
  /** New accounts without terminals. */
  tills(count: number): Promise<Till[]>;
  /** A call that an account's object answers without writing. */
  wake(till: Till): Promise<void>;
}

/** Terminals of one account, by default. */
export const PER_ACCOUNT = 50;

/** How its workerd runs, beside what all of them have in common. */
export type Extra = Pick<WorkerOptions, "v8Flags" | "reaches" | "otherIsolate">;

/** The bindings of the objects that are looked at from outside. */
export type ObjectBinding = "ACCOUNT" | "TERMINAL";

/** Runs in workerd. */
export abstract class WorkerSubject implements Subject {
  abstract readonly name: Name;
  readonly #options: WorkerOptions;
  #running: RunningProcess;
  #caller: Caller;

  protected constructor(options: WorkerOptions, running: RunningProcess) {
    this.#options = options;
    this.#running = running;
    this.#caller = new Caller(this.url);
  }

  abstract enrol(count: number, perAccount?: number): Promise<Pair[]>;
  abstract connect(pairs: readonly Pair[]): Promise<Enrolled[]>;
  protected abstract like(options: WorkerOptions, running: RunningProcess): this;

  get pid(): number {
    return this.#running.pid;
  }

  get caller(): Caller {
    return this.#caller;
  }

  /** Where the Worker is called. Another one after each start. */
  get url(): string {
    return `http://127.0.0.1:${this.#running.port(WORKER)}`;
  }

  /** The folder with the databases of a binding's objects. */
  databases(binding: ObjectBinding): string {
    return databasesOf(this.#options, binding);
  }

  /** A caller of the isolate that has answered nothing yet. */
  otherIsolate(): Caller {
    return new Caller(`http://127.0.0.1:${this.#running.port(OTHER_ISOLATE)}`);
  }

  /** Copies what was built, and all data. It has to be stopped before. */
  copyTo(folder: string): Promise<void> {
    return cp(this.#options.folder, folder, { recursive: true });
  }

  /** The same on such a copy, in a process of its own. */
  async startIn(folder: string): Promise<this> {
    const options = { ...this.#options, folder };
    return this.like(options, await serveWorker(options));
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

  /** Runs statements on D1, past the Worker. */
  protected async query(sql: string, params: unknown[] = []): Promise<void> {
    const caller = new Caller(`http://127.0.0.1:${this.#running.port(DATABASE)}`);
    await caller.call("POST", "/query", null, { sql, params });
    caller.close();
  }
}

/** Does the work for all items, eight at a time; results in the items' order. */
export function eightAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return inParallel(items, 8, work);
}

/** Connects terminals without a login, for subjects that need none. */
export function connectByName(url: string, pairs: readonly Pair[]): Promise<Enrolled[]> {
  return eightAtOnce(pairs, async (pair) => {
    const connectUrl = `${url}/terminal/connect?terminal=${pair.terminalId}`;
    return { pair, terminal: await Terminal.connect(connectUrl, pair.secret, "none") };
  });
}
