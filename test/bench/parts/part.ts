/** A part of the bench: what it measures, and about how long it takes. */
import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Options } from "../options.ts";

/** The number of a part that is measured, or of one that is quick and only shows that it runs. */
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

/** Stops all of them, even if starting another one, or the work, fails. */
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
