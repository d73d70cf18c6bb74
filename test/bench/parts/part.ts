/** What every part of the bench gets and needs. */
import { mkdir, mkdtemp, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Options } from "../options.ts";
import type { Pair } from "../parties.ts";
import { type Enrolled, type Extra, type Kind, type ObjectBinding, WorkerSubject } from "../subjects/subject.ts";
import { isObject } from "../workerd.ts";

interface Stoppable {
  stop(): Promise<void>;
}

/** One run of a part. */
export class Run {
  readonly options: Options;
  readonly #folder: string;
  readonly #added: Stoppable[] = [];

  /** @param folder for the databases of this part */
  constructor(options: Options, folder: string) {
    this.options = options;
    this.#folder = folder;
  }

  /** A new folder for one process, or for several. */
  async folder(name: string): Promise<string> {
    await mkdir(this.#folder, { recursive: true });
    return mkdtemp(join(this.#folder, `${name}-`));
  }

  /** Starts a subject on empty databases. */
  async start(kind: Kind, extra: Extra = {}): Promise<WorkerSubject> {
    return this.add(await WorkerSubject.start(kind, await this.folder("subject"), extra));
  }

  /** It is stopped when the part ends, however it ends. */
  add<One extends Stoppable>(one: One): One {
    this.#added.push(one);
    return one;
  }

  async end(): Promise<void> {
    await Promise.all(this.#added.map((one) => one.stop()));
  }

  /** One of two numbers: for a measurement, or for a quick run. */
  size(full: number, quick: number): number {
    return this.options.quick ? quick : full;
  }
}

export function closeAll(fleet: readonly Enrolled[]): void {
  for (const { terminal } of fleet) terminal.close();
}

const AT_ONCE = 20;
const BETWEEN = 500;

/** How often the bench looks whether objects are asleep: for five minutes. */
const LOOKS = 600;

/** As fast for every subject, so that as many objects are in memory at a time. */
export async function connectSlowly(subject: WorkerSubject, pairs: readonly Pair[]): Promise<Enrolled[]> {
  const connected: Enrolled[] = [];
  await slowly(pairs, async (some) => void connected.push(...(await subject.connect(some))));
  return connected;
}

export async function slowly<Item>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Promise<void>,
): Promise<void> {
  for (let first = 0; first < items.length; first += AT_ONCE) {
    await Promise.all([work(items.slice(first, first + AT_ONCE)), setTimeout(BETWEEN)]);
  }
}

/**
 * An idle object hibernates after 10 s
 * (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/), and the alarm that a
 * connection or a sale leaves behind may wake it once more within the 10 s before.
 */
export const UNTIL_ASLEEP = 25_000;

/** The objects that are looked at: an idle terminal must neither wake nor change its own, nor its account's. */
export const LOOKED_AT: readonly ObjectBinding[] = ["TERMINAL", "ACCOUNT"];

/** How many objects are in memory, which holds their databases open; null if the machine does not tell. */
export async function awakeObjects(subject: WorkerSubject): Promise<number | null> {
  const { pid } = subject;
  const folders = LOOKED_AT.map((binding) => subject.databases(binding));
  try {
    const open = await readdir(`/proc/${pid}/fd`);
    const paths = await Promise.all(open.map((number) => readlink(`/proc/${pid}/fd/${number}`).catch(() => "")));
    return new Set(paths.filter((path) => isObject(path) && folders.some((folder) => path.startsWith(folder)))).size;
  } catch {
    return null;
  }
}

/** Waits until no object of any of them is in memory, which takes longer on a busy machine. */
export async function untilAsleep(subjects: readonly WorkerSubject[]): Promise<void> {
  await setTimeout(UNTIL_ASLEEP);
  for (const subject of subjects) {
    for (let looks = 0; ((await awakeObjects(subject)) ?? 0) > 0; looks++) {
      if (looks >= LOOKS) throw new Error("an object is still in memory");
      await setTimeout(BETWEEN);
    }
  }
}
