/** What listens to something outside the page's parts, such as a till: `useStore` subscribes a part of the page. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` after every change; returns a function that stops this. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls every listener. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
