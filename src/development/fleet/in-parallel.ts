/**
 * Runs `step` for every item, at most `width` at a time. Rejects with the first error and then begins no further item.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  step: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      try {
        await step(item);
      } catch (error) {
        rest.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}
