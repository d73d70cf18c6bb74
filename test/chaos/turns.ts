/** One after the other, in the order in which they ask. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  async take<Of>(work: () => Promise<Of>): Promise<Of> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
