/** Checks of a client's options at its construction, where a mistake is made rather than where it first hurts. */

/** Throws a TypeError with one sentence per mistake. Null stands for an option that is right. No value is in it (I6). */
export function refuseMistakes(client: string, mistakes: readonly (string | null)[]): void {
  const found = mistakes.filter((mistake) => mistake !== null);
  if (found.length > 0) throw new TypeError(`${client}: ${found.join(" ")}`);
}

/** The mistake in a mandatory text, or null. `what`: what to give, as in "the account's identifier". */
export function textMistake(name: string, value: unknown, what: string, longest = Infinity): string | null {
  if (value === undefined || value === null) return `${name} is missing: give ${what}.`;
  if (typeof value !== "string") return `${name} is not a text: give ${what}.`;
  if (value.trim() === "") return `${name} is empty: give ${what}.`;
  return value.length > longest ? `${name} has more than ${longest} characters.` : null;
}

/** The mistake in a mandatory object with these methods, or null. */
export function methodsMistake(name: string, value: unknown, methods: string[], what: string): string | null {
  if (typeof value !== "object" || value === null) return `${name} is missing: give ${what}.`;
  const absent = methods.filter((method) => typeof Reflect.get(value, method) !== "function");
  return absent.length === 0
    ? null
    : `${name} has no ${absent.map((method) => `${method}()`).join(" and no ")}: give ${what}.`;
}
