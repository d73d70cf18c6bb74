/**
 * A cache in one isolate, in memory only (I6): a new entry removes the oldest. It is for values that can be computed
 * again from their key.
 */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #bound: number;

  /** @param bound the maximum number of entries, at least 1 */
  constructor(bound: number) {
    this.#bound = bound;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#bound && !this.#entries.has(key)) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, value);
  }
}
