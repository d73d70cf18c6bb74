/**
 * Maps at most `bound` items at the same time, and returns the results in the order of the items. Rejects with the
 * first error and starts no further item.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  bound: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = Array<Result>(items.length);
  // The workers share one iterator: each takes the next item when it has finished one, and an error ends it for all.
  const entries = (function* () {
    yield* items.entries();
  })();
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(bound, items.length) }, worker));
  return results;
}
