/** Processes every item, at most `bound` at the same time. The results have the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  bound: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = Array<Result>(items.length);
  const entries = items.entries();
  // The workers share one iterator: each takes the next item when it has finished one.
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(bound, items.length) }, worker));
  return results;
}
