/** What a kit has received, in order. */
export class Log<Item> {
  readonly items: Item[] = [];
  #wake: (() => void)[] = [];

  put(item: Item): void {
    this.items.push(item);
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** The first item from index `from` on that is `wanted`, now or within this many milliseconds; null if none arrives. */
  async next({ from = 0, within, wanted = () => true }: Wanted<Item>): Promise<{ item: Item; index: number } | null> {
    const end = performance.now() + within;
    let index = from;
    for (;;) {
      for (; index < this.items.length; index++) {
        const item = this.items[index];
        if (item !== undefined && wanted(item)) return { item, index };
      }
      const left = end - performance.now();
      if (left <= 0) return null;
      await this.#somethingNew(left);
    }
  }

  #somethingNew(within: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, within);
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

interface Wanted<Item> {
  from?: number;
  within: number;
  wanted?: (item: Item) => boolean;
}
