/**
 * Begins runs that mostly wait, `atOnce` at a time, and returns how to get the result of each: separate tests await one
 * after the other what runs at the same time.
 */
export function inTurns<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item) => Promise<Result>,
): (item: Item) => Promise<Result> {
  const runs = new Map(items.map((item) => [item, Promise.withResolvers<Result>()] as const));
  const queue = runs.entries();
  const work = async (): Promise<void> => {
    for (const [item, { promise, resolve, reject }] of queue) {
      // A later await gets the error; until then nobody has to care.
      promise.catch(() => undefined);
      await run(item).then(resolve, reject);
    }
  };
  void Promise.all(Array.from({ length: atOnce }, work));
  return async (item) => {
    const made = runs.get(item);
    if (made === undefined) throw new Error("there is no such run");
    return made.promise;
  };
}
