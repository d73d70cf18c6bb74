/** What every part of the bench gets and needs. */
import { mkdir, mkdtemp, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Options } from "../options.ts";
import { BASELINE } from "../subjects/baseline.ts";
import { GATEWAY } from "../subjects/gateway.ts";
import { type Enrolled, type Kind, Subject } from "../subjects/subject.ts";
import { isObject } from "../workerd.ts";

export class Run {
  readonly options: Options;
  readonly #folder: string;
  readonly #added: Subject[] = [];

  /** @param folder for the databases of this part */
  constructor(options: Options, folder: string) {
    this.options = options;
    this.#folder = folder;
  }

  async folder(): Promise<string> {
    await mkdir(this.#folder, { recursive: true });
    return mkdtemp(join(this.#folder, "subject-"));
  }

  /** Starts a subject on empty databases. */
  async start(kind: Kind, extra: { otherIsolate?: boolean } = {}): Promise<Subject> {
    return this.add(await Subject.start(kind, await this.folder(), extra));
  }

  async both(): Promise<Subject[]> {
    return [await this.start(GATEWAY), await this.start(BASELINE)];
  }

  /** It is stopped when the part ends, however it ends. */
  add(subject: Subject): Subject {
    this.#added.push(subject);
    return subject;
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
  for (const { terminal } of fleet) terminal.drop();
}

/**
 * An idle object hibernates after 10 s
 * (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/), and the alarm that a
 * connection or a sale leaves behind may wake it once more within the 10 s before.
 */
export const UNTIL_ASLEEP = 25_000;

/** How often the bench looks whether objects are asleep, which takes longer on a busy machine: for five minutes. */
const LOOKS = 600;
const BETWEEN = 500;

/** Waits until no object of any of them is in memory. */
export async function untilAsleep(subjects: readonly Subject[]): Promise<void> {
  await setTimeout(UNTIL_ASLEEP);
  for (const subject of subjects) {
    for (let looks = 0; await isAwake(subject); looks++) {
      if (looks >= LOOKS) throw new Error("an object is still in memory");
      await setTimeout(BETWEEN);
    }
  }
}

/** Whether an object is in memory, which holds its database open; false if the machine does not tell. */
async function isAwake(subject: Subject): Promise<boolean> {
  const open = `/proc/${subject.pid}/fd`;
  const folders = [subject.databases("TERMINAL"), subject.databases("ACCOUNT")];
  const numbers = await readdir(open).catch(() => []);
  const paths = await Promise.all(numbers.map((number) => readlink(join(open, number)).catch(() => "")));
  return paths.some((path) => isObject(path) && folders.some((folder) => path.startsWith(folder)));
}
