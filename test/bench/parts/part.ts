/** What every part of the bench gets and needs. */
import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Options } from "../options.ts";

/** One run of a part. */
export class Run {
  readonly options: Options;
  readonly #folder: string;

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

  /** One of two numbers: for a measurement, or for a quick run. */
  size(full: number, quick: number): number {
    return this.options.quick ? quick : full;
  }
}

/** Stops every process that the work adds, also if the work fails. */
export async function withStopped<Result>(
  work: (add: <One extends { stop(): Promise<void> }>(one: One) => One) => Promise<Result>,
): Promise<Result> {
  const added: { stop(): Promise<void> }[] = [];
  try {
    return await work((one) => {
      added.push(one);
      return one;
    });
  } finally {
    await Promise.all(added.map((one) => one.stop()));
  }
}
