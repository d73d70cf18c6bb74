/** Writes the journal of a run, line by line, as it happens. */
import { closeSync, openSync, writeSync } from "node:fs";
import type { Happening, Kind } from "./journal.ts";

export class JournalFile {
  readonly path: string;
  readonly #file: number;
  readonly #began = performance.now();
  readonly #counts = new Map<Kind, number>();

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "w", 0o600);
  }

  write(happening: Happening): void {
    const line = { at: Math.round(performance.now() - this.#began), ...happening };
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    this.#counts.set(happening.kind, this.count(happening.kind) + 1);
  }

  /** How many entries of a kind it has. */
  count(kind: Kind): number {
    return this.#counts.get(kind) ?? 0;
  }

  close(): void {
    closeSync(this.#file);
  }
}
