/** `datetime` of a signed message: UTC, to the second. */
export function datetimeOf(epochMs: number): string {
  return new Date(epochMs).toISOString().replaceAll(/[-:]|\.\d+Z/gu, "");
}
