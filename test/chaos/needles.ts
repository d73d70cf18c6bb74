/** Secrets and card numbers that a run knows: no place of the gateway may hold one of them (I6). */

/** Shorter texts also occur by chance. */
const SHORTEST = 8;

/** So many of one kind: a long run has thousands of tokens, and no token is special. */
const MOST = 2_000;

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

  /** The names by their texts. */
  get names(): ReadonlyMap<string, string> {
    return this.#names;
  }
}
