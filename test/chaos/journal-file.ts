/** What all who take part in a run write to: its journal, line by line, and the secrets that nobody may tell. */
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

  count(kind: Kind): number {
    return this.#counts.get(kind) ?? 0;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Shorter texts also occur by chance. */
const SHORTEST = 8;

/** So many of one kind: a long run has thousands of tokens, and no token is special. */
const MOST = 2_000;

/** Secrets and card numbers that a run knows: no place of the gateway may hold one of them (I6). */
export class Needles {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** @param kind such as `password`; what is found is reported as this and a number, never as its text */
  add(kind: string, text: unknown): void {
    if (typeof text !== "string" || text.length < SHORTEST || this.#names.has(text)) return;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    if (count > MOST) return;
    this.#counts.set(kind, count);
    this.#names.set(text, `${kind} ${count}`);
  }

  get size(): number {
    return this.#names.size;
  }

  get names(): ReadonlyMap<string, string> {
    return this.#names;
  }
}
